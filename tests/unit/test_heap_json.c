/* SPDX-License-Identifier: Apache-2.0 */
/* What the control API tells of a heap. */
#include "daemon/heap_json.h"
#include "golden.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

static const struct sp_pylayout python_3_11 = { .version = 0x030b02f0 };

static struct heap_census_type types[] = {
	{ "Node", "app.model", 1000000, 48000000 },
	{ "dict", "builtins", 5000, 320000 },
	{ "\xc3\x84pfel \"<script>\"\n\x1b[31m", "a\\b", 2, 128 },
	{ "cut \xf0\x9f", "\xff\xfe", 1, 64 }, /* as no tally would make them */
	{ "", "", 1, 32 },
};

static struct heap_census_size sizes[] = {
	{ .size = 48, .blocks = 1000100, .pools = 2942, .free_blocks = 17 },
	{ .size = 64, .blocks = 5003, .pools = 20, .free_blocks = 1 },
};

static const struct heap_census busy = {
	.types = types,
	.type_count = sizeof(types) / sizeof(types[0]),
	.sizes = sizes,
	.size_count = 2,
	.storage = { { 10, 4096, 1024 }, { 5000, 1280000, 0 }, { 1, 8192, 8192 } },
	.arenas = 50,
	.arena_bytes = 52428800,
	.scanned_bytes = 50331648,
	.live_blocks = 1005103,
	.live_bytes = 50000000,
	.explained_bytes = 49700000,
	.large_objects = 3,
	.large_bytes = 70000,
	.unused_objects = 180,
	.unused_bytes = 10080,
	.pools = 3072,
};

static const struct allocator pymalloc = { .kind = ALLOCATOR_PYMALLOC };
static const struct allocator mimalloc = { .kind = ALLOCATOR_MIMALLOC };
static const struct heap_census nothing;

static struct heap_facts facts_of(const struct heap_census *c, const struct allocator *a)
{
	return (struct heap_facts){
		.pid = 4711,
		.name = "python3",
		.layout = &python_3_11,
		.allocator = a,
		.census = c,
		.memory = { .rss_bytes = 80000000, .rss_anon_bytes = 70000000 },
		.time_ns = 1700000000123456789,
		.duration_ns = 12500000,
	};
}

static void check(const struct heap_facts *f, const char *golden)
{
	json_t *page = heap_json(f);
	char *text;

	cr_assert(page != NULL);
	text = json_dumps(page, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	expect_golden(golden, text, strlen(text));
	free(text);
	json_decref(page);
}

Test(heap_json, every_figure_and_every_name_is_told)
{
	const struct heap_facts f = facts_of(&busy, &pymalloc);

	check(&f, "heap_json/busy.json");
}

Test(heap_json, of_an_empty_heap_every_member_is_there)
{
	struct heap_facts f = facts_of(&nothing, &mimalloc);

	f.memory = (struct proc_memory){ 0 };
	check(&f, "heap_json/empty.json");
}

Test(heap_json, numbers_that_contradict_each_other_never_wrap)
{
	struct heap_census c = { .arena_bytes = 10,
				 .live_bytes = 30,
				 .explained_bytes = 40,
				 .large_bytes = 5,
				 .unused_objects = UINT64_MAX };
	struct heap_facts f = facts_of(&c, &pymalloc);
	json_int_t unexplained, unused, free_bytes, other;
	json_t *page;

	f.memory.rss_anon_bytes = 1;
	page = heap_json(&f);
	cr_assert(page != NULL);
	cr_assert(json_unpack(page, "{s{sI} s{sI} s{sI} s{sI}}", "coverage", "unexplained_bytes",
			      &unexplained, "unused", "objects", &unused, "arenas", "free_bytes",
			      &free_bytes, "outside", "other_bytes", &other) == 0);
	cr_expect(unexplained == 0 && free_bytes == 0 && other == 0);
	cr_expect(unused == INT64_MAX);
	json_decref(page);
}

/* A warning is looked for by words that are in it; NULL: there is none. */
struct warning_row {
	struct allocator allocator;
	struct heap_census census;
	const char *words;
};

static const struct warning_row warning_rows[] = {
	{ .words = NULL },
	{ .allocator = { .has_debug_hooks = true }, .words = "debug hooks are on" },
	{ .allocator = { .is_hooked = true, .is_traced = true }, .words = "tracemalloc is on" },
	{ .allocator = { .is_hooked = true }, .words = "something stands before the allocator" },
	{ .allocator = { .heaps_left_out = 1 }, .words = "1 interpreter is left out" },
	{ .allocator = { .heaps_left_out = 9 }, .words = "9 interpreters are left out" },
	{ .census = { .pools = 100, .pools_changed = 50 }, .words = "changed while it was read" },
	{ .census = { .pools = 1000, .pools_unreadable = 1 }, .words = "1 pool could not be read" },
	{ .census = { .pools = 1000, .pools_damaged = 1 }, .words = "1 pool is left out" },
	{ .census = { .pools = 1000, .pools_damaged = 2 }, .words = "2 pools are left out" },
	{ .census = { .other_types_objects = 7 }, .words = "7 objects are of other types" },
	{ .census = { .large_left_out = 1 },
	  .words = "1 large object outside of the arenas was not" },
	{ .census = { .types_unreadable = 1 }, .words = "1 object has a type that could not" },
};

Test(heap_json, what_a_reader_must_know_is_said)
{
	for (size_t i = 0; i < sizeof(warning_rows) / sizeof(warning_rows[0]); i++) {
		const struct warning_row *row = &warning_rows[i];
		const struct heap_facts f = facts_of(&row->census, &row->allocator);
		json_t *page = heap_json(&f), *warnings = json_object_get(page, "warnings");
		const char *text = json_string_value(json_array_get(warnings, 0));

		cr_expect(json_array_size(warnings) == (row->words ? 1 : 0), "row %zu", i);
		cr_expect(row->words == NULL || (text && strstr(text, row->words)), "row %zu: %s",
			  i, text ? text : "none");
		json_decref(page);
	}
}
