/* SPDX-License-Identifier: Apache-2.0 */
#include "export/html_writer.h"
#include "export/flame_text.h"
#include "profile/weight.h"

#include <errno.h>

void html_put(struct html_writer *w, const char *text)
{
	buffer_add_text(w->out, text);
}

void html_put_number(struct html_writer *w, int64_t number)
{
	weight_print(w->out, number, 0);
}

void html_put_next(struct html_writer *w, bool is_first, int64_t number)
{
	if (!is_first)
		buffer_add(w->out, ",", 1);
	html_put_number(w, number);
}

void html_put_text(struct html_writer *w, const char *text, size_t len)
{
	struct buffer visible OWNS(buffer) = { 0 };

	flame_add_visible(&visible, text, len);
	flame_add_json(w->out, visible.data, visible.len);
	if (buffer_error(&visible))
		w->out->err = -ENOMEM;
}

void html_put_string(struct html_writer *w, profile_id string)
{
	html_put_text(w, profile_string(w->profile, string),
		      profile_string_len(w->profile, string));
}

void html_put_buffer(struct html_writer *w, const struct buffer *text)
{
	html_put_text(w, text->data, text->len);
	if (buffer_error(text))
		w->out->err = -ENOMEM;
}
