/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a heap: its types, and the storage of containers. */
#include "cli/heap_text_parts.h"

#include "cli/amount.h"
#include "cli/output.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

double heap_number(const json_t *object, const char *member)
{
	return json_number_value(json_object_get(object, member));
}

void heap_add_bytes(struct buffer *out, const json_t *bytes, int width)
{
	char text[AMOUNT_ROOM];

	buffer_print(out, "%*s", width,
		     json_is_number(bytes) ? amount_bytes(json_number_value(bytes), text) : "-");
}

void heap_add_count(struct buffer *out, const json_t *count, int width)
{
	double value = json_number_value(count);
	bool is_small = value > -10 && value < 10 && fabs(value - round(value)) >= 0.05;

	if (!json_is_number(count))
		buffer_print(out, "%*s", width, "-");
	else if (fabs(value) < 1e15)
		buffer_print(out, "%*.*f", width, is_small, value);
	else
		buffer_print(out, "%*.3g", width, value);
}

/* "NAME (MODULE)"; of a builtin the name alone. */
static void add_name(struct buffer *out, const json_t *row)
{
	const json_t *module = json_object_get(row, "module");
	const char *text = json_string_value(module);

	output_add_scalar(out, json_object_get(row, "name"));
	if (!text || !*text || !strcmp(text, "builtins"))
		return;
	buffer_add_text(out, " (");
	output_add_scalar(out, module);
	buffer_add_text(out, ")");
}

/* @counted: the member that says how many. */
static void add_row(struct buffer *out, const json_t *row, const char *counted, double live)
{
	double bytes = heap_number(row, "bytes");

	if (json_is_number(json_object_get(row, counted)))
		buffer_print(out, "%11.0f ", heap_number(row, counted));
	else
		buffer_print(out, "%11s ", "-");
	heap_add_bytes(out, json_object_get(row, "bytes"), 11);
	if (live > 0)
		buffer_print(out, " %6.1f %%  ", bytes / live * 100);
	else
		buffer_print(out, " %8s  ", "-");
	add_name(out, row);
	buffer_add_text(out, "\n");
}

static void add_rows(struct buffer *out, const json_t *heap, const char *member,
		     const char *counted, size_t most)
{
	double live = heap_number(json_object_get(heap, "coverage"), "live_bytes");
	const json_t *rows = json_object_get(heap, member);

	for (size_t i = 0; i < json_array_size(rows) && i < most; i++)
		add_row(out, json_array_get(rows, i), counted, live);
	if (json_array_size(rows) > most)
		buffer_print(out, "        ... and %zu more\n", json_array_size(rows) - most);
}

/* Those that were met when there were too many already. */
static void add_omitted(struct buffer *out, const json_t *heap)
{
	const json_t *omitted = json_object_get(heap, "types_omitted");
	char text[AMOUNT_ROOM];

	if (heap_number(omitted, "objects") > 0)
		buffer_print(out, "%11.0f %11s           of other types\n",
			     heap_number(omitted, "objects"),
			     amount_bytes(heap_number(omitted, "bytes"), text));
}

void heap_add_tables(struct buffer *out, const json_t *heap, size_t most)
{
	buffer_add_text(out, "\n    Objects       Bytes  Of live  Type\n");
	add_rows(out, heap, "types", "objects", most);
	add_omitted(out, heap);
	if (!json_array_size(json_object_get(heap, "storage")))
		return;
	buffer_add_text(out, "\n     Blocks       Bytes  Of live  Storage\n");
	add_rows(out, heap, "storage", "blocks", SIZE_MAX);
}
