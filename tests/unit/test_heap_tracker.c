/* SPDX-License-Identifier: Apache-2.0 */
/* From records of allocators' probes to what is told of a heap. Checklist M-20, M-25, M-26. */
#include "daemon/heap_tracker.h"

#include "daemon/heap_model.h"
#include "daemon/heap_temporary.h"
#include "golden.h"
#include "heap/sampling.h"
#include "tests/unit/allocations.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#define SECOND 1000000000ull
#define AT 0x7f0000001000ull /* an address */

static struct heap_tracker *tracker;
static struct process *program;

static void setup(void)
{
	tracker = heap_tracker_new();
	program = a_program(1, 200);
	cr_assert(heap_tracker_begin(tracker, 3, HEAP_TIER_TRACE, SECOND) == 0);
}

static void teardown(void)
{
	heap_tracker_free(tracker);
	process_unref(program);
}

TestSuite(heap_tracker, .init = setup, .fini = teardown);

static void allocate(uint32_t n, uint64_t address, uint64_t size, const uint32_t *lines)
{
	tell_allocation(tracker, an_allocation(n, address, size, lines), program);
}

static void release(uint32_t n, uint64_t address, uint64_t time_ns)
{
	heap_tracker_freed(tracker, a_free(n, address, time_ns));
}

static bool is_null(const json_t *page, const char *name)
{
	const json_t *value = json_object_get(json_object_get(page, "coverage"), name);

	return value && json_is_null(value);
}

/* The rows of @list; a page without it fails. */
static json_t *rows_of(const json_t *page, const char *list)
{
	json_t *rows = json_object_get(page, list);

	cr_assert(rows && json_is_array(rows), "no list %s", list);
	return rows;
}

static double figure(const json_t *row, const char *name)
{
	const json_t *number = json_object_get(row, name);

	cr_assert(number && json_is_number(number), "no figure %s", name);
	return json_number_value(number);
}

static json_t *session_page(uint32_t n)
{
	return a_page(tracker, n, 11 * SECOND, NULL);
}

Test(heap_tracker, what_lives_is_told_by_stack_the_largest_first)
{
	json_t *page, *rows, *frames;

	allocate(3, AT, 1 << 20, (uint32_t[]){ 7, 8, 0 });
	allocate(3, AT + 16, 100, (uint32_t[]){ 9, 8, 0 });
	allocate(3, AT + 64, 200, (uint32_t[]){ 9, 8, 0 });
	page = session_page(3);
	rows = rows_of(page, "stacks");
	cr_assert(eq(sz, json_array_size(rows), 2));
	frames = json_object_get(json_array_get(rows, 0), "frames");
	cr_assert(eq(sz, json_array_size(frames), 2));
	cr_expect(json_integer_value(json_object_get(json_array_get(frames, 0), "line")) == 7);
	cr_expect(fabs(figure(json_array_get(rows, 0), "bytes") - (1 << 20)) < 1);
	cr_expect(figure(json_array_get(rows, 1), "samples") == 2);
	/* one sample a rate, each */
	cr_expect(fabs(figure(json_array_get(rows, 1), "bytes") - 2 * 65536) < 400);
	json_decref(page);
}

Test(heap_tracker, what_is_freed_lives_no_more_and_is_told_with_its_rate)
{
	struct heap_tracker_load load;
	json_t *page, *row;

	for (int i = 0; i < 50; i++) {
		allocate(3, AT, 65536, (uint32_t[]){ 7, 0 });
		release(3, AT, 1000 + 250);
	}
	load = heap_tracker_load(tracker, 3);
	cr_expect(load.samples == 50 && load.freed == 50 && load.live_samples == 0);
	heap_tracker_stop(tracker, 3, 6 * SECOND);
	page = session_page(3);
	cr_expect(eq(sz, json_array_size(rows_of(page, "stacks")), 0));
	row = json_array_get(rows_of(page, "temporary"), 0);
	cr_expect(fabs(figure(row, "objects") - 50 / 0.632121) < 1);
	cr_expect(fabs(figure(row, "objects_per_second") - 50 / 0.632121 / 5) < 0.2);
	cr_expect(figure(row, "low") < figure(row, "bytes_per_second"));
	cr_expect(figure(row, "high") > figure(row, "bytes_per_second"));
	json_decref(page);
}

Test(heap_tracker, mean_lifetime_is_that_of_the_objects)
{
	struct sp_alloc *a;
	json_t *page;

	for (uint64_t i = 0; i < 2; i++) {
		a = an_allocation(3, AT + 16 * i, 512, (uint32_t[]){ 7, 0 });
		a->head.time_ns = 2 * SECOND;
		tell_allocation(tracker, a, program);
	}
	release(3, AT, 3 * SECOND);
	release(3, AT + 16, 5 * SECOND);
	page = session_page(3);
	cr_expect(fabs(figure(json_array_get(rows_of(page, "temporary"), 0), "mean_lifetime_ns") -
		       2 * SECOND) < 10);
	json_decref(page);
}

Test(heap_tracker, stacks_beyond_the_budget_have_no_sums)
{
	struct heap_temporary sums = { 0 }, copy;
	struct heap_sample freed = { .size = 100, .rate = 1024 };
	uint32_t budget = 100;

	for (freed.stack = 0; freed.stack < 100; freed.stack++)
		cr_assert(heap_temporary_add(&sums, &freed, 1, &budget) == 0);
	cr_expect(heap_temporary_add(&sums, &freed, 1, &budget) == -ENOSPC);
	freed.stack = 99;
	cr_expect(heap_temporary_add(&sums, &freed, 1, &budget) == 0);
	cr_assert(heap_temporary_copy(&sums, &copy) == 0);
	cr_expect(copy.count == 100 && copy.rows[99].estimate.samples == 2);
	heap_temporary_fini(&sums);
	heap_temporary_fini(&copy);
}

Test(heap_tracker, pointer_that_is_given_again_was_freed_unseen)
{
	struct heap_tracker_load load;
	struct sp_alloc *a;

	allocate(3, AT, 100, (uint32_t[]){ 7, 0 });
	a = an_allocation(3, AT, 100, (uint32_t[]){ 8, 0 });
	a->domain = SP_DOMAIN_LIBC;
	tell_allocation(tracker, a, program);
	load = heap_tracker_load(tracker, 3);
	cr_expect(load.samples == 2 && load.freed == 1 && load.live_samples == 1);
}

Test(heap_tracker, frees_count_after_the_stop)
{
	allocate(3, AT, 100, (uint32_t[]){ 7, 0 });
	heap_tracker_stop(tracker, 3, 2 * SECOND);
	release(3, AT, 3 * SECOND);
	cr_expect(heap_tracker_load(tracker, 3).live_samples == 0);
}

Test(heap_tracker, sessions_have_nothing_in_common)
{
	json_t *page;

	cr_assert(heap_tracker_begin(tracker, 4, HEAP_TIER_TRACE, SECOND) == 0);
	allocate(3, AT, 100, (uint32_t[]){ 7, 0 });
	allocate(4, AT, 100, (uint32_t[]){ 7, 0 });
	release(4, AT, 3 * SECOND);
	cr_expect(heap_tracker_load(tracker, 3).live_samples == 1);
	cr_expect(heap_tracker_load(tracker, 4).live_samples == 0);
	page = session_page(4);
	cr_expect(eq(sz, json_array_size(rows_of(page, "stacks")), 0));
	json_decref(page);
}

Test(heap_tracker, session_that_ended_has_nothing_and_hears_nothing)
{
	allocate(3, AT, 100, (uint32_t[]){ 7, 0 });
	heap_tracker_end(tracker, 3, 2 * SECOND);
	allocate(3, AT + 16, 100, (uint32_t[]){ 7, 0 });
	release(3, AT, 3 * SECOND);
	cr_expect(heap_tracker_load(tracker, 3).samples == 0);
	cr_expect(heap_tracker_see(tracker, 3, 4 * SECOND) == NULL);
	cr_assert(heap_tracker_begin(tracker, 3, HEAP_TIER_TRACE, 5 * SECOND) == 0);
	cr_expect(heap_tracker_load(tracker, 3).live_samples == 0);
}

Test(heap_tracker, shallow_native_stacks_count_for_as_long_as_there_is_a_session)
{
	cr_assert(heap_tracker_begin(tracker, 4, HEAP_TIER_TRACE, SECOND) == 0);
	allocate(3, AT, 100, (uint32_t[]){ 7, 0 });
	allocate(4, AT, 100, (uint32_t[]){ 7, 0 });
	cr_expect(heap_tracker_statistics(tracker).shallow_stack_warnings == 2);
	heap_tracker_end(tracker, 3, 2 * SECOND);
	cr_expect(heap_tracker_statistics(tracker).shallow_stack_warnings == 2);
	cr_expect(heap_tracker_statistics(tracker).total_samples == 2);
	heap_tracker_end(tracker, 4, 2 * SECOND);
	cr_expect(heap_tracker_statistics(tracker).total_samples == 0);
}

Test(heap_tracker, copy_meets_nothing_of_the_next_session_of_the_number)
{
	OWNS(heap_seen) struct heap_seen *seen = NULL;
	json_t *page = json_pack("{s{} s[]}", "coverage", "warnings");

	cr_assert(heap_tracker_begin(tracker, 4, HEAP_TIER_TRACE, SECOND) == 0);
	seen = heap_tracker_see(tracker, 3, 2 * SECOND);
	heap_tracker_end(tracker, 3, 2 * SECOND);
	cr_assert(heap_tracker_begin(tracker, 3, HEAP_TIER_TRACE, 3 * SECOND) == 0);
	allocate(3, AT, 100, (uint32_t[]){ 7, 0 });
	cr_assert(heap_seen_tell(seen, page) == 0);
	cr_expect(eq(sz, json_array_size(rows_of(page, "stacks")), 0));
	json_decref(page);
}

Test(heap_tracker, child_has_what_its_parent_had_and_goes_its_own_way)
{
	allocate(3, AT, 100, (uint32_t[]){ 7, 0 });
	allocate(3, AT + 16, 100, (uint32_t[]){ 7, 0 });
	cr_assert(heap_tracker_forked(tracker, 3, 5, 2 * SECOND) == 0);
	release(3, AT, 3 * SECOND);
	cr_expect(heap_tracker_load(tracker, 3).live_samples == 1);
	cr_expect(heap_tracker_load(tracker, 5).live_samples == 2);
	cr_expect(heap_tracker_forked(tracker, 9, 6, 2 * SECOND) < 0);
	heap_tracker_end(tracker, 3, 4 * SECOND);
	cr_expect(heap_tracker_load(tracker, 5).live_samples == 2);
}

/* What a record should never say. */
Test(heap_tracker, hostile_records_are_dropped)
{
	static const struct {
		uint64_t address, size;
		uint32_t session, domain;
	} rows[] = {
		{ AT + 8, 100, 3, 0 },	    { 0, 100, 3, 0 },  { UINT64_MAX, 100, 3, 0 },
		{ 1ull << 47, 100, 3, 0 },  { AT, 0, 3, 0 },   { AT, 100, SP_HEAP_SESSIONS, 0 },
		{ AT, 100, UINT32_MAX, 0 }, { AT, 100, 4, 0 }, { AT, 100, 3, HEAP_DOMAINS },
		{ AT, 100, 3, UINT32_MAX },
	};
	json_t *page;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct sp_alloc *a = an_allocation(rows[i].session, rows[i].address, rows[i].size,
						   (uint32_t[]){ 7, 0 });

		a->domain = rows[i].domain;
		tell_allocation(tracker, a, program);
		release(rows[i].session, rows[i].address, SECOND);
	}
	cr_expect(heap_tracker_load(tracker, 3).live_samples == 0);
	cr_expect(heap_tracker_load(tracker, 3).dropped == 7);
	page = session_page(3);
	cr_expect(eq(sz, json_array_size(rows_of(page, "stacks")), 0));
	json_decref(page);
}

Test(heap_tracker, sizes_and_rates_of_any_kind_make_figures)
{
	static const uint64_t sizes[] = { 1, 1ull << 40, UINT64_MAX };
	json_t *page;

	for (int i = 0; i < 3; i++) {
		struct sp_alloc *a =
			an_allocation(3, AT + 16 * i, sizes[i], (uint32_t[]){ 7 + i, 0 });

		a->rate = i ? UINT32_MAX : 0;
		tell_allocation(tracker, a, program);
	}
	page = session_page(3);
	cr_assert(eq(sz, json_array_size(rows_of(page, "stacks")), 3));
	cr_expect(figure(json_array_get(rows_of(page, "stacks"), 0), "bytes") > 0);
	json_decref(page);
}

Test(heap_tracker, refill_of_no_size_class_is_dropped)
{
	static const uint64_t classes[] = { 32, UINT64_MAX };

	for (int i = 0; i < 2; i++) {
		struct sp_alloc *a = an_allocation(3, 0, classes[i], (uint32_t[]){ 7, 0 });

		tell_refill(tracker, a, program);
	}
	cr_expect(heap_tracker_load(tracker, 3).dropped == 2);
	cr_expect(heap_tracker_load(tracker, 3).samples == 0);
}

/* Code objects that nobody can name are unknown; a stack of none is native. */
Test(heap_tracker, stacks_without_names_are_told_as_that)
{
	static const char *const names[] = { "[unknown]", "[native]", "[unreadable]" };
	json_t *page, *rows;

	allocate(3, AT, 3 << 20, (uint32_t[]){ 999, 0 });
	tell_allocation(tracker, an_allocation(3, AT + 16, 2 << 20, (uint32_t[]){ 0 }), program);
	tell_allocation(tracker, ({
				struct sp_alloc *a =
					an_allocation(3, AT + 32, 1 << 20, (uint32_t[]){ 0 });
				a->sample.end = SP_END_FAULT;
				a;
			}),
			program);
	page = session_page(3);
	rows = rows_of(page, "stacks");
	cr_assert(eq(sz, json_array_size(rows), 3));
	for (int i = 0; i < 3; i++) {
		const char *name = NULL;

		cr_assert(json_unpack(json_array_get(rows, i), "{s[{ss}]}", "frames", "function",
				      &name) == 0);
		cr_expect(eq(str, (char *)name, (char *)names[i]));
	}
	json_decref(page);
}

Test(heap_tracker, stack_that_is_deeper_than_the_table_says_so)
{
	uint32_t lines[101] = { 0 };
	json_t *page, *frames;
	const char *last = NULL;

	for (int i = 0; i < 100; i++)
		lines[i] = i + 1;
	allocate(3, AT, 100, lines);
	page = session_page(3);
	frames = json_object_get(json_array_get(rows_of(page, "stacks"), 0), "frames");
	cr_assert(eq(sz, json_array_size(frames), STACK_TABLE_DEPTH + 1));
	cr_assert(json_unpack(json_array_get(frames, STACK_TABLE_DEPTH), "{ss}", "function",
			      &last) == 0);
	cr_expect(eq(str, (char *)last, "[truncated]"));
	json_decref(page);
}

static void note_live(void *ctx, uint32_t n, uint64_t address)
{
	uint64_t *sum = ctx;

	*sum += n * 1000 + (address - AT);
}

Test(heap_tracker, filter_is_told_of_what_lives_in_all_sessions)
{
	uint64_t sum = 0;

	cr_assert(heap_tracker_begin(tracker, 63, HEAP_TIER_GROWTH, SECOND) == 0);
	allocate(3, AT + 16, 100, (uint32_t[]){ 7, 0 });
	allocate(3, AT + 32, 100, (uint32_t[]){ 7, 0 });
	allocate(63, AT + 64, 100, (uint32_t[]){ 7, 0 });
	release(3, AT + 32, 2 * SECOND);
	heap_tracker_each_live(tracker, note_live, &sum);
	cr_expect(eq(u64, sum, 3000 + 16 + 63000 + 64));
	heap_tracker_maintain(tracker);
}

/* --- coverage --- */

static struct heap_census_size sizes[] = { { .size = 48, .blocks = 1 },
					   { .size = 112, .blocks = 1 } };

static struct heap_census a_census(uint64_t live_bytes)
{
	return (struct heap_census){ .sizes = sizes, .size_count = 2, .live_bytes = live_bytes };
}

Test(heap_tracker, share_is_of_whole_blocks_that_scans_see)
{
	struct heap_census first = a_census(5000000), last = a_census(5000000 + 500000);
	const json_t *coverage;
	struct sp_alloc *a;
	json_t *page;

	allocate(3, AT, 40, (uint32_t[]){ 7, 0 }); /* before the first scan */
	cr_assert(heap_tracker_scanned(tracker, 3, 2 * SECOND, &first) == 0);
	a = an_allocation(3, AT + 64, 100, (uint32_t[]){ 7, 0 }); /* a block of 112 */
	a->head.time_ns = 3 * SECOND;
	tell_allocation(tracker, a, program);
	a = an_allocation(3, AT + 256, 100, (uint32_t[]){ 7, 0 });
	a->head.time_ns = 3 * SECOND;
	a->domain = SP_DOMAIN_LIBC; /* no scan sees it */
	tell_allocation(tracker, a, program);
	page = a_page(tracker, 3, 4 * SECOND, &last);
	coverage = json_object_get(page, "coverage");
	cr_expect(figure(coverage, "true_bytes") == 500000);
	cr_expect(fabs(figure(coverage, "seen_bytes") - 112 * (65536. / 100 + 0.5)) < 2);
	cr_expect(fabs(figure(coverage, "share") - 112 * (65536. / 100 + 0.5) / 500000) < 1e-4);
	json_decref(page);
}

Test(heap_tracker, share_of_almost_no_change_is_not_told)
{
	struct heap_census first = a_census(5000000), last = a_census(5000000 - 65535);
	json_t *page;

	cr_assert(heap_tracker_scanned(tracker, 3, 2 * SECOND, &first) == 0);
	page = a_page(tracker, 3, 4 * SECOND, &last);
	cr_expect(figure(json_object_get(page, "coverage"), "true_bytes") == -65535);
	cr_expect(is_null(page, "share") == true);
	json_decref(page);
	page = session_page(3); /* of one scan there is no change at all */
	cr_expect(is_null(page, "true_bytes") == true);
	json_decref(page);
}

Test(heap_tracker, share_is_not_told_if_more_lives_than_came_to_be)
{
	struct heap_census first = a_census(50000000), last = a_census(50000000 + 70000);
	json_t *page;

	cr_assert(heap_tracker_scanned(tracker, 3, 2 * SECOND, &first) == 0);
	for (uint64_t i = 0; i < 100; i++) {
		struct sp_alloc *a = an_allocation(3, AT + 64 * i, 48, (uint32_t[]){ 7, 0 });

		a->head.time_ns = 3 * SECOND;
		tell_allocation(tracker, a, program);
	}
	page = a_page(tracker, 3, 4 * SECOND, &last);
	cr_expect(figure(json_object_get(page, "coverage"), "true_bytes") == 70000);
	cr_expect(is_null(page, "share") == true);
	cr_expect(eq(sz, json_array_size(rows_of(page, "warnings")), 1));
	json_decref(page);
}

Test(heap_tracker, scan_of_before_the_last_is_left_out)
{
	struct heap_census first = a_census(100000), late = a_census(900000);
	json_t *page;

	cr_assert(heap_tracker_scanned(tracker, 3, 3 * SECOND, &first) == 0);
	cr_assert(heap_tracker_scanned(tracker, 3, 2 * SECOND, &late) == 0);
	cr_assert(heap_tracker_scanned(tracker, 9, 2 * SECOND, &late) == 0);
	page = session_page(3);
	cr_expect(is_null(page, "share") == true);
	json_decref(page);
}

/* --- growth --- */

static void refill(uint32_t block_bytes, uint64_t time_ns, const uint32_t *lines)
{
	struct sp_alloc *a = an_allocation(3, 0, block_bytes / 16 - 1, lines);

	a->head.kind = SP_EVENT_REFILL;
	a->head.time_ns = time_ns;
	a->rate = 1;
	tell_refill(tracker, a, program);
}

/* Ten seconds in which line 7 keeps blocks of 48 bytes, and 8 and 9 take turns at 64. */
static json_t *growing_page(void)
{
	struct heap_census_size found[] = { { .size = 48 }, { .size = 64 } };
	struct heap_census_kind kinds[] = { { 1, 0, 48 }, { 2, 0, 64 }, { 3, 0, 64 } };
	struct heap_census census = {
		.sizes = found, .size_count = 2, .kinds = kinds, .kind_count = 3
	};

	for (uint64_t i = 1; i <= 10; i++) {
		struct sp_alloc *a =
			an_allocation(3, AT + 64 * i, 1 << 20, (uint32_t[]){ 12, 10, 11, 0 });

		a->head.time_ns = i * SECOND;
		a->domain = SP_DOMAIN_LIBC;
		tell_allocation(tracker, a, program);
		refill(48, i * SECOND, (uint32_t[]){ 7, 10, 11, 0 });
		cr_expect(heap_tracker_load(tracker, 3).samples == 3 * i - 1);
		refill(64, i * SECOND, (uint32_t[]){ 8 + (i % 3 == 0), 10, 11, 0 });
		found[0].blocks = 340 * i;
		found[0].pools = i + 1;
		found[1].blocks = 250 * i;
		found[1].freed_blocks = 3;
		found[1].pools = i + 1;
		kinds[0].objects = 340 * i;
		kinds[1].objects = kinds[2].objects = 125 * i;
		census.live_bytes = found[0].blocks * 48 + found[1].blocks * 64;
		if (i < 10)
			cr_assert(heap_tracker_scanned(tracker, 3, i * SECOND + 1, &census) == 0);
	}
	release(3, AT + 64, 10 * SECOND);
	return a_page(tracker, 3, 11 * SECOND, &census);
}

Test(heap_tracker, page_of_a_session_is_as_told)
{
	json_t *page;
	char *text;

	cr_assert(heap_tracker_begin(tracker, 3, HEAP_TIER_GROWTH, SECOND) == 0);
	page = growing_page();
	text = json_dumps(page, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
	expect_golden("heap_tracker/growth.json", text, strlen(text));
	free(text);
	json_decref(page);
}

/* --- the whole, against a program that knows its truth --- */

#define GROUPS 1000
#define RUN_RATE 1024

/* Objects of a line until it has some 30 samples; its live bytes. */
static double run_line(uint32_t line, struct sampling *s, uint64_t *address)
{
	double live = 0;
	uint64_t size = 16 + 8 * (line * 7 % 97);

	for (int i = 0; i < 30 * RUN_RATE / (int)size; i++) {
		live += (double)size;
		*address += 1024;
		if (sampling_allocated(s, RUN_RATE, size)) {
			struct sp_alloc *a =
				an_allocation(3, *address, size,
					      (uint32_t[]){ 1 + line % 200, 1 + line / 200, 0 });

			a->rate = RUN_RATE;
			tell_allocation(tracker, a, program);
		}
	}
	return live;
}

/* The line's number, from its two frames. */
static uint32_t line_of(const json_t *row)
{
	json_int_t leaf = 0, root = 0;

	cr_assert(json_unpack((json_t *)row, "{s[{sI}{sI}]}", "frames", "line", &leaf, "line",
			      &root) == 0);
	return (uint32_t)(leaf - 1 + (root - 1) * 200);
}

Test(heap_tracker, estimates_are_right_on_average_and_intervals_as_often_as_they_say)
{
	static double truth[GROUPS];
	unsigned int covered = 0;
	struct sampling s = { 0 };
	uint64_t address = AT;
	double sum = 0, squares = 0;
	json_t *page, *row;
	size_t i;

	sampling_init(&s, RUN_RATE, 42, 0);
	for (uint32_t line = 0; line < GROUPS; line++)
		truth[line] = run_line(line, &s, &address);
	page = session_page(3);
	cr_assert(eq(sz, json_array_size(rows_of(page, "stacks")), GROUPS));
	json_array_foreach(rows_of(page, "stacks"), i, row)
	{
		double want = truth[line_of(row)], off = figure(row, "bytes") / want - 1;

		sum += off;
		squares += off * off;
		covered += figure(row, "low") <= want && want <= figure(row, "high");
	}
	cr_expect(fabs(sum / GROUPS) < 3 * sqrt(squares) / GROUPS, "bias %g", sum / GROUPS);
	cr_expect(covered >= 930 && covered <= 970, "%u of %u intervals", covered, GROUPS);
	json_decref(page);
}

/* A loop that makes and drops: its rate within 5 %, of some 10,000 samples. */
Test(heap_tracker, rate_of_what_is_temporary_is_right)
{
	struct sampling s = { 0 };
	uint64_t made = 0;
	json_t *page, *row;

	sampling_init(&s, RUN_RATE, 7, 0);
	for (int i = 0; i < 10000 * RUN_RATE / 256; i++, made++)
		if (sampling_allocated(&s, RUN_RATE, 256)) {
			struct sp_alloc *a = an_allocation(3, AT, 256, (uint32_t[]){ 7, 8, 0 });

			a->rate = RUN_RATE;
			tell_allocation(tracker, a, program);
			release(3, AT, 2000);
		}
	page = a_page(tracker, 3, 5 * SECOND, NULL);
	row = json_array_get(rows_of(page, "temporary"), 0);
	cr_expect(fabs(figure(row, "objects_per_second") * 4 / (double)made - 1) < 0.05);
	cr_expect(fabs(figure(row, "bytes_per_second") * 4 / (double)made / 256 - 1) < 0.05);
	json_decref(page);
}
