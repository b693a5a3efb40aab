/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes are a heap within its bounds, which can be compared and shown; or an error of a line. */
#include "cli/heap_input.h"
#include "cli/heap_profile.h"
#include "cli/types_report.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void expect(bool is_so)
{
	if (!is_so)
		abort();
}

static void check_text(const char *text)
{
	expect(!text || utf8_is_valid(text, strlen(text)));
}

static void check_bounds(const struct heap_types *heap)
{
	expect(heap->pid && heap->tier && heap->count <= HEAP_INPUT_MOST_TYPES);
	check_text(heap->name);
	check_text(heap->python);
	check_text(heap->tier);
	for (uint32_t i = 0; i < heap->count; i++) {
		const struct heap_type *row = &heap->rows[i];

		expect(row->name && row->module && row->objects <= HEAP_INPUT_MOST &&
		       row->bytes <= HEAP_INPUT_MOST);
		check_text(row->name);
		check_text(row->module);
	}
}

/* Every byte is in the profile: under a type, or as unknown. */
static void check_profile(const struct heap_types *heap)
{
	OWNS(profile) struct profile *p = profile_new();
	const struct profile_sample *rows;
	uint64_t types = heap->omitted_bytes, sum = 0;
	uint32_t count;

	expect(p && !heap_profile_add(p, heap));
	rows = profile_samples(p, &count);
	for (uint32_t i = 0; i < count; i++)
		sum += rows[i].weight;
	for (uint32_t i = 0; i < heap->count; i++)
		types += heap->rows[i].bytes;
	expect(sum == (types > heap->live_bytes ? types : heap->live_bytes));
}

/* Against nothing, so that every type has changed. */
static void check_report(const struct heap_types *heap)
{
	OWNS(types_diff) struct types_diff *d = types_diff_new();
	const struct heap_types nothing = { .pid = heap->pid };
	OWNS(buffer) struct buffer warnings = { 0 }, why = { 0 }, text = { 0 };
	struct types_report report = {
		.process = heap,
		.before = { .time_ns = heap->time_ns, .live_bytes = heap->live_bytes },
		.scans = 1,
		.warnings = &warnings,
	};
	json_t *json;

	expect(d && !types_report_check(heap, &nothing, &warnings, &why));
	expect(!types_diff_set_before(d, heap) && !types_diff_add(d, &nothing, 1));
	report.rows = types_diff_rows(d, 1, &report.count);
	expect(report.rows && report.count + types_diff_unchanged(d) <= heap->count);
	types_report_add_text(&report, &text);
	expect(!buffer_error(&text) && utf8_is_valid(text.data, text.len));
	for (size_t i = 0; i < text.len; i++)
		expect((uint8_t)text.data[i] >= ' ' || text.data[i] == '\n');
	json = types_report_json(&report);
	expect(json);
	json_decref(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct heap_types heap OWNS(heap_types) = { 0 };
	OWNS(buffer) struct buffer why = { 0 };
	int err = heap_input_read((const char *)data, len, 7, &heap, &why);

	if (err) {
		expect(err == -EBADMSG && why.len && !memchr(why.data, '\n', why.len));
		expect(!heap.rows && !heap.name);
		return 0;
	}
	check_bounds(&heap);
	check_profile(&heap);
	check_report(&heap);
	return 0;
}
