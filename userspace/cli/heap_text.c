/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/heap_text.h"

#include "cli/amount.h"
#include "cli/heap_growth_text.h"
#include "cli/heap_session_text.h"
#include "cli/heap_text_parts.h"
#include "cli/output.h"

#include <stdbool.h>
#include <stdint.h>

#define TYPES_MOST 15 /* on a page */

static void add_percent(struct buffer *out, const json_t *share, int width)
{
	if (json_is_number(share))
		buffer_print(out, "%*.1f %%", width - 2, json_number_value(share) * 100);
	else
		buffer_print(out, "%*s", width, "-");
}

/* "NAME 12.3 MiB" */
static void add_part(struct buffer *out, const char *name, const json_t *object, const char *member)
{
	buffer_add_text(out, name);
	buffer_add_text(out, " ");
	heap_add_bytes(out, json_object_get(object, member), 0);
}

/* What of @whole is not @part; "-" unless both are known. */
static void add_rest(struct buffer *out, const json_t *whole, const json_t *part)
{
	double rest = json_number_value(whole) - json_number_value(part);
	char text[AMOUNT_ROOM];
	bool is_known = json_is_number(whole) && json_is_number(part);

	buffer_add_text(out, is_known ? amount_bytes(rest > 0 ? rest : 0, text) : "-");
}

/* Sums of @member over @rows; a wrong one counts 0. */
static double sum_of(const json_t *rows, const char *member)
{
	double sum = 0;
	size_t i;
	const json_t *row;

	json_array_foreach(rows, i, row) sum += heap_number(row, member);
	return sum;
}

static void add_live(struct buffer *out, const json_t *heap)
{
	const json_t *types = json_object_get(heap, "types");
	const json_t *omitted = json_object_get(heap, "types_omitted");

	buffer_add_text(out, "Heap     ");
	add_part(out, "live", json_object_get(heap, "coverage"), "live_bytes");
	buffer_print(out, ", %.0f objects of %zu types; tier ",
		     sum_of(types, "objects") + heap_number(omitted, "objects"),
		     json_array_size(types));
	output_add_scalar(out, json_object_get(heap, "tier"));
	buffer_add_text(out, ", ");
	output_add_scalar(out, json_object_get(heap, "allocator"));
	buffer_print(out, ", %.0f ms\n", heap_number(heap, "duration_ms"));
}

/* The pages that are there, whatever they are for. */
static void add_resident(struct buffer *out, const json_t *heap, const json_t *memory)
{
	const json_t *outside = json_object_get(heap, "outside");
	const json_t *rss = json_object_get(heap, "rss_bytes");
	const json_t *anon = json_object_get(outside, "anon_bytes");

	buffer_add_text(out, "RSS      ");
	heap_add_bytes(out, rss, 0);
	buffer_add_text(out, ": anonymous ");
	heap_add_bytes(out, anon, 0);
	buffer_add_text(out, " (arenas ");
	add_rest(out, anon, json_object_get(outside, "other_bytes"));
	add_part(out, ", large and outside", outside, "other_bytes");
	buffer_add_text(out, "), ");
	if (json_is_object(memory)) {
		add_part(out, "files", memory, "rss_file_bytes");
		add_part(out, ", shared", memory, "rss_shmem_bytes");
	} else {
		buffer_add_text(out, "files and shared ");
		add_rest(out, rss, anon);
	}
	buffer_add_text(out, "\n");
}

static void add_arenas(struct buffer *out, const json_t *heap)
{
	const json_t *arenas = json_object_get(heap, "arenas");

	buffer_add_text(out, "Arenas   ");
	output_add_scalar(out, json_object_get(arenas, "count"));
	add_part(out, " of", arenas, "bytes");
	add_part(out, ": live", arenas, "live_bytes");
	add_part(out, ", free", arenas, "free_bytes");
	buffer_add_text(out, "; fragmentation ");
	add_percent(out, json_object_get(arenas, "fragmentation"), 0);
	buffer_add_text(out, "\n");
}

/* How much of what lives has a name. */
static void add_coverage(struct buffer *out, const json_t *heap)
{
	const json_t *coverage = json_object_get(heap, "coverage");
	const json_t *unused = json_object_get(heap, "unused");
	double live = heap_number(coverage, "live_bytes");

	buffer_add_text(out, "Coverage ");
	if (live > 0)
		buffer_print(out, "%.1f %%", heap_number(coverage, "explained_bytes") / live * 100);
	else
		buffer_add_text(out, "-");
	buffer_add_text(out, " of the live bytes explained");
	add_part(out, ", without a type", coverage, "unexplained_bytes");
	buffer_add_text(out, "; on free lists ");
	output_add_scalar(out, json_object_get(unused, "objects"));
	add_part(out, " objects,", unused, "bytes");
	buffer_add_text(out, "\n");
}

static void add_consistency(struct buffer *out, const json_t *heap)
{
	static const char *const members[] = { "changed", "unreadable", "damaged" };
	const json_t *pools = json_object_get(heap, "pools");

	buffer_add_text(out, "Scan     consistency ");
	add_percent(out, json_object_get(heap, "consistency"), 0);
	buffer_add_text(out, ", of ");
	output_add_scalar(out, json_object_get(pools, "count"));
	buffer_add_text(out, " pools");
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		buffer_add_text(out, i ? ", " : ": ");
		output_add_scalar(out, json_object_get(pools, members[i]));
		buffer_print(out, " %s", members[i]);
	}
	buffer_add_text(out, "\n");
}

static void add_warnings(struct buffer *out, const json_t *heap)
{
	size_t i;
	const json_t *text;

	json_array_foreach(json_object_get(heap, "warnings"), i, text)
	{
		buffer_add_text(out, "Warning  ");
		output_add_scalar(out, text);
		buffer_add_text(out, "\n");
	}
}

/* Who allocates, if that is looked at. */
static void add_session(struct buffer *out, const json_t *heap)
{
	const json_t *session = json_object_get(heap, "session");

	if (!json_is_object(session))
		return;
	heap_session_text_add_part(session, out);
	heap_growth_text_add_seen(heap, out);
	heap_growth_text_add(heap, out);
}

static void add_heap(struct buffer *out, const json_t *heap, const json_t *memory, size_t most)
{
	add_live(out, heap);
	add_resident(out, heap, memory);
	add_arenas(out, heap);
	add_coverage(out, heap);
	add_consistency(out, heap);
	add_warnings(out, heap);
	add_session(out, heap);
	heap_add_tables(out, heap, most);
}

void heap_text_add_part(const json_t *page, struct buffer *out)
{
	const json_t *heap = json_object_get(page, "heap");

	buffer_add_text(out, "\n");
	if (json_is_object(heap))
		return add_heap(out, heap, json_object_get(page, "memory"), TYPES_MOST);
	buffer_add_text(out, "Heap     not scanned: ");
	output_add_scalar(out, json_object_get(page, "heap_error"));
	buffer_add_text(out, "\n");
}

static void add_process(struct buffer *out, const json_t *heap)
{
	buffer_add_text(out, "Process ");
	output_add_scalar(out, json_object_get(heap, "pid"));
	buffer_add_text(out, ": ");
	output_add_scalar(out, json_object_get(heap, "name"));
	buffer_add_text(out, " (Python ");
	output_add_scalar(out, json_object_get(heap, "python"));
	buffer_add_text(out, ")\n\n");
}

void heap_text_add(const json_t *heap, struct buffer *out)
{
	add_process(out, heap);
	add_heap(out, heap, NULL, TYPES_MOST);
}

void heap_text_add_types(const json_t *heap, struct buffer *out)
{
	add_process(out, heap);
	add_live(out, heap);
	add_warnings(out, heap);
	heap_add_tables(out, heap, SIZE_MAX);
}
