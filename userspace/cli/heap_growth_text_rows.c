/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of what was sampled: what lives, and what was temporary. */
#include "cli/heap_growth_text_parts.h"

#include "cli/heap_stack_text.h"
#include "cli/heap_text_parts.h"

#include <stdbool.h>

/* The first rows of @member: figures, and below them who it was. */
static void add_rows(struct buffer *out, const json_t *heap, const char *member,
		     void (*add_figures)(struct buffer *out, const json_t *row))
{
	const json_t *rows = json_object_get(heap, member), *row;
	char omitted[32];
	size_t i;

	json_array_foreach(rows, i, row)
	{
		if (i == HEAP_GROWTH_ROWS)
			break;
		add_figures(out, row);
		heap_stack_text_add(out, json_object_get(row, "frames"), 0, HEAP_GROWTH_INDENT);
	}
	snprintf(omitted, sizeof(omitted), "%s_omitted", member);
	heap_growth_add_more(out, HEAP_GROWTH_ROWS, rows, json_object_get(heap, omitted), "");
}

static void add_live_figures(struct buffer *out, const json_t *row)
{
	heap_add_bytes(out, json_object_get(row, "bytes"), 11);
	heap_growth_add_interval(out, row);
	heap_add_count(out, json_object_get(row, "objects"), 11);
	buffer_add_text(out, "  ");
	heap_add_count(out, json_object_get(row, "samples"), 7);
	buffer_add_text(out, "\n");
}

void heap_growth_add_live(struct buffer *out, const json_t *heap, const char *which)
{
	bool has_rows = json_array_size(json_object_get(heap, "stacks"));

	buffer_print(out, "\nLive     %sby who allocated it since then\n", which);
	buffer_add_text(out,
			has_rows ? "      Bytes  95 % interval                Objects  Samples\n"
				 : "       none\n");
	add_rows(out, heap, "stacks", add_live_figures);
}

/* "13 us", "2.1 ms", "3.0 s" */
static void add_lifetime(struct buffer *out, const json_t *ns)
{
	static const char *const units[] = { "ns", "us", "ms" };
	double value = json_number_value(ns);
	size_t i = 0;

	if (!json_is_number(ns))
		return buffer_add_text(out, "-");
	for (; i < 3 && value >= 999.95; i++)
		value /= 1000;
	buffer_print(out, value < 1e7 ? "%.*f %s" : "%.*g %s", i > 0, value,
		     i < 3 ? units[i] : "s");
}

static void add_temporary_figures(struct buffer *out, const json_t *row)
{
	heap_add_bytes(out, json_object_get(row, "bytes_per_second"), 11);
	heap_growth_add_interval(out, row);
	heap_add_count(out, json_object_get(row, "objects_per_second"), 11);
	buffer_add_text(out, "  ");
	add_lifetime(out, json_object_get(row, "mean_lifetime_ns"));
	buffer_add_text(out, "\n");
}

void heap_growth_add_temporary(struct buffer *out, const json_t *heap, const char *which)
{
	buffer_print(out,
		     "\nTemporary: %sallocated since then and freed, a second\n"
		     "      Bytes  95 %% interval                Objects  Lived\n",
		     which);
	add_rows(out, heap, "temporary", add_temporary_figures);
}
