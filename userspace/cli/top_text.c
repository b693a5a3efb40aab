/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top_text.h"

#include "base/utf8.h"
#include "cli/profile_file.h"

#include <inttypes.h>
#include <string.h>

const char *top_text_head(void)
{
	return "    %Own   %Total  OwnTime TotalTime  Function (file)";
}

static void add_string(struct buffer *out, const struct profile *p, profile_id id)
{
	utf8_add_visible_bytes(out, profile_string(p, id), profile_string_len(p, id));
}

void top_text_add_title(struct buffer *out, const char *what, const struct profile *p)
{
	utf8_add_visible(out, what);
	buffer_print(out, ", last %.1f s", profile_about_get(p)->duration_ns / 1e9);
}

static double share_of(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

void top_text_add_facts(struct buffer *out, const struct profile *p, const struct top_table *t)
{
	const struct profile_about *about = profile_about_get(p);

	buffer_print(out, "%" PRIu64 " sample%s (%.1f a second", t->samples,
		     t->samples == 1 ? "" : "s", share_of(t->samples, about->duration_ns / 1e9));
	if (*profile_string(p, about->rates))
		buffer_add_text(out, ", at ");
	profile_file_add_rates(out, p);
	buffer_print(out, "), %.1f %% lost, %" PRIu32 " thread%s, %.1f %% of a processor",
		     100 * share_of(about->lost, about->taken), t->threads,
		     t->threads == 1 ? "" : "s", 100 * share_of(t->weight, about->duration_ns));
}

void top_text_add_numbers(struct buffer *out, const struct top_table *t, uint32_t row)
{
	const struct top_row *r = &t->rows[row];

	buffer_print(out, "%7.2f%% %7.2f%% %7.2fs %8.2fs  ", 100 * share_of(r->own, t->weight),
		     100 * share_of(r->total, t->weight), r->own / 1e9, r->total / 1e9);
}

/* "NAME (FILE)" or "NAME (FILE:LINE)". */
void top_text_add_name(struct buffer *out, const struct profile *p, const struct top_row *row)
{
	const struct profile_function *f = &profile_functions(p, &(uint32_t){ 0 })[row->function];

	add_string(out, p, f->name);
	if (!profile_string_len(p, f->file))
		return;
	buffer_add_text(out, " (");
	add_string(out, p, f->file);
	if (row->line)
		buffer_print(out, ":%" PRIu32, row->line);
	buffer_add_text(out, ")");
}

void top_text_add_block(struct buffer *out, const char *what, const struct profile *p,
			const struct top_table *t, uint32_t rows_most)
{
	top_text_add_title(out, what, p);
	buffer_add_text(out, "\n");
	top_text_add_facts(out, p, t);
	buffer_print(out, "\n%s\n", top_text_head());
	for (uint32_t i = 0; i < t->count && i < rows_most; i++) {
		top_text_add_numbers(out, t, i);
		top_text_add_name(out, p, &t->rows[i]);
		buffer_add_text(out, "\n");
	}
	if (t->count > rows_most)
		buffer_print(out, "... and %" PRIu32 " more\n", t->count - rows_most);
}
