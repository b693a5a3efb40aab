/* SPDX-License-Identifier: Apache-2.0 */
/* html_writer - what the writers of the page's data share: the profile summed up, and JSON. */
#ifndef SPPROF_HTML_WRITER_H
#define SPPROF_HTML_WRITER_H

#include "export/flame_boxes.h"
#include "export/flame_tracks.h"

struct html_writer {
	const struct profile *profile;
	struct buffer *out;
	struct flame_tree tree;
	struct flame_boxes boxes;
	struct flame_tracks tracks;
	uint32_t joined;
};

static inline void html_writer_cleanup(struct html_writer *w)
{
	flame_tree_fini(&w->tree);
	flame_boxes_fini(&w->boxes);
	flame_tracks_fini(&w->tracks);
}

/* Each appends to `out`, whose error is sticky. */
void html_put(struct html_writer *w, const char *text);
void html_put_number(struct html_writer *w, int64_t number);

/* A number in a column: a comma before all but the first. */
void html_put_next(struct html_writer *w, bool is_first, int64_t number);

/* A text in quotes, visible (flame_text.h). */
void html_put_text(struct html_writer *w, const char *text, size_t len);
void html_put_string(struct html_writer *w, profile_id string);
void html_put_buffer(struct html_writer *w, const struct buffer *text);

/* The last members of the data (html_tracks.c). 0 or -ENOMEM. */
int html_put_tracks(struct html_writer *w);

#endif
