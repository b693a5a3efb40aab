/* SPDX-License-Identifier: Apache-2.0 */
/* html_runs - a track by time: which box for how long, one after the other. */
#ifndef SPPROF_HTML_RUNS_H
#define SPPROF_HTML_RUNS_H

#include "export/flame_boxes.h"
#include "export/flame_tracks.h"

struct html_run {
	uint32_t box;
	int64_t weight;
};

struct html_runs {
	struct html_run *rows;
	uint32_t count;
	uint32_t joined; /* so many were too short to be kept apart */
};

/*
 * Fills @runs with those of @track. Runs in a row that are shorter than @least become one,
 * of the box that they have in common. 0 or -ENOMEM. Zeroed memory before.
 */
int html_runs_init(struct html_runs *runs, const struct flame_tree *tree,
		   const struct flame_boxes *boxes, const struct flame_tracks *tracks,
		   uint32_t track, int64_t least);
void html_runs_fini(struct html_runs *runs);

static inline void html_runs_cleanup(struct html_runs *runs)
{
	html_runs_fini(runs);
}

#endif
