/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of growth, row by row; test_growth_model.c has programs. */
#include "heap/growth.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <string.h>

#define BLOCK 64u
#define HERE 7u
#define ITS_LINE 70u
#define ITS_TYPE 1u
#define SCANS 8

#define REPORT(name) \
	__attribute__((cleanup(growth_report_cleanup))) struct growth_report name = { 0 }

/* What scans find of one size, in steady growth; 0: as ever. */
struct course {
	uint32_t scans;
	uint64_t refills_a_scan;
	uint64_t freed_every; /* in each so many scans, 1: in all */
	uint64_t falls_at;    /* scan */
	uint64_t lost_pools;  /* in each scan, that came back */
	uint64_t types;	      /* that grow; each as much */
	bool is_late;	      /* it grew between the last two only */
	bool has_no_type;
	uint64_t strays; /* objects of another type, in the fourth scan */
	uint64_t wobble; /* blocks, in every other scan */
	uint32_t lines;
	uint64_t unknown_every; /* one refill of so many */
};

static const struct course steady = { .scans = SCANS };

static uint64_t refills_of(const struct course *c)
{
	return c->refills_a_scan ? c->refills_a_scan : 2;
}

static void tell_refills(struct growth *g, const struct course *c, uint32_t scan)
{
	for (uint64_t i = 0; i < refills_of(c); i++) {
		uint64_t number = scan * refills_of(c) + i;
		uint32_t which = c->lines ? number % c->lines : 0;
		bool is_unknown = c->unknown_every && number % c->unknown_every == 0;

		growth_refilled(g, BLOCK, HERE + which, is_unknown ? 0 : ITS_LINE + which, 1);
	}
}

static void tell_scan(struct growth *g, const struct course *c, uint32_t scan)
{
	uint64_t grown = !c->is_late	     ? 500 * scan
			 : scan == SCANS - 1 ? 500
					     : 0,
		 types = c->has_no_type ? 0
			 : c->types	? c->types
					: 1;
	struct growth_class class = {
		.block_bytes = BLOCK,
		.live_blocks = 1000 + grown + (scan % 2 ? c->wobble : 0),
		.freed_blocks = c->freed_every && scan % c->freed_every == 0,
		.pools = 100 + scan * (refills_of(c) - c->lost_pools),
	};

	if (c->falls_at && scan == c->falls_at)
		class.live_blocks = 900 + grown - 500;
	for (uint64_t i = 0; i < types; i++)
		growth_typed(g, ITS_TYPE + i, BLOCK, 100 + grown / types);
	if (scan == 3 && c->strays)
		growth_typed(g, 99, BLOCK, c->strays);
	growth_scanned(g, 50 + 5.0 * scan, &class, 1);
}

static struct growth *told(const struct course *c)
{
	struct growth *g = growth_new();

	for (uint32_t i = 0; i < (c->scans ? c->scans : SCANS); i++) {
		tell_scan(g, c, i);
		tell_refills(g, c, i);
	}
	return g;
}

Test(growth, verdicts_say_what_the_data_support)
{
	static const struct {
		struct course c;
		enum growth_verdict verdict;
		const char *reason;
	} rows[] = {
		{ { .lines = 1 }, GROWTH_CERTAIN, "one line" },
		{ { .lines = 2 }, GROWTH_SHARED, "several lines" },
		{ { .unknown_every = 2 }, GROWTH_SHARED, "often not known" },
		{ { .unknown_every = 1 }, GROWTH_SHARED, "often not known" },
		{ { .unknown_every = 7 }, GROWTH_APPROXIMATE, "not everyone" },
		{ { .freed_every = 1 }, GROWTH_SHARED, "freed as well" },
		{ { .freed_every = 3 }, GROWTH_SHARED, "freed as well" },
		{ { .freed_every = 5 }, GROWTH_APPROXIMATE, "now and then" },
		{ { .falls_at = 4 }, GROWTH_APPROXIMATE, "now and then" },
		{ { .refills_a_scan = 9, .lost_pools = 7 }, GROWTH_SHARED, "freed as well" },
		{ { .types = 2 }, GROWTH_SHARED, "several types" },
		{ { .has_no_type = true }, GROWTH_APPROXIMATE, "no type" },
		{ { .strays = 1 }, GROWTH_APPROXIMATE, "other types" },
		{ { .wobble = 5000 }, GROWTH_SHARED, "freed as well" },
		{ { .wobble = 300 }, GROWTH_CERTAIN, "one line" },
		{ { .is_late = true }, GROWTH_APPROXIMATE, "up and down" },
		{ { .scans = 3 }, GROWTH_APPROXIMATE, "few scans" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		OWNS(growth) struct growth *g = told(&rows[i].c);
		REPORT(r);

		cr_assert(eq(int, growth_report_make(g, &r), 0));
		cr_assert(eq(sz, r.count, 1), "row %zu", i);
		cr_expect(strstr(r.entries[0].reason, rows[i].reason) != NULL, "row %zu: %s", i,
			  r.entries[0].reason);
		cr_expect(eq(int, r.entries[0].verdict, rows[i].verdict), "row %zu: %s", i,
			  r.entries[0].reason);
	}
}

Test(growth, few_refills_are_approximate)
{
	for (uint32_t refills = 2; refills <= 3; refills++) {
		OWNS(growth) struct growth *g = growth_new();
		REPORT(r);

		for (uint32_t i = 0; i < refills; i++)
			growth_refilled(g, BLOCK, HERE, ITS_LINE, 1);
		for (uint32_t i = 0; i < SCANS; i++)
			growth_typed(g, ITS_TYPE, BLOCK, 100 * i),
				growth_scanned(g, i, &(struct growth_class){ BLOCK, 100 * i, 0, 0 },
					       1);
		cr_assert(eq(int, growth_report_make(g, &r), 0));
		cr_expect(eq(int, r.entries[0].verdict,
			     refills < 3 ? GROWTH_APPROXIMATE : GROWTH_CERTAIN),
			  "%u: %s", refills, r.entries[0].reason);
	}
}

Test(growth, refills_before_the_first_scan_are_in_it)
{
	OWNS(growth) struct growth *g = growth_new();
	REPORT(r);

	for (uint32_t i = 0; i < 100; i++)
		growth_refilled(g, BLOCK, HERE, ITS_LINE, 1);
	for (uint32_t i = 0; i < SCANS; i++) {
		tell_scan(g, &steady, i);
		tell_refills(g, &steady, i);
	}
	cr_assert(eq(int, growth_report_make(g, &r), 0));
	cr_expect(eq(int, r.entries[0].verdict, GROWTH_CERTAIN), "%s", r.entries[0].reason);
}

Test(growth, refills_of_stacks_without_room_are_of_nobody_known)
{
	OWNS(growth) struct growth *g = growth_new();
	REPORT(r);

	growth_refilled(g, BLOCK, HERE, ITS_LINE, 1);
	for (uint32_t i = 0; i < GROWTH_MOST_STACKS; i++)
		growth_refilled(g, 2 * BLOCK, i, ITS_LINE, 1);
	for (uint32_t i = 0; i < SCANS; i++) {
		growth_refilled(g, BLOCK, HERE + 1, ITS_LINE, 1);
		tell_scan(g, &steady, i);
	}
	cr_assert(eq(int, growth_report_make(g, &r), 0));
	cr_expect(eq(int, r.entries[0].verdict, GROWTH_SHARED));
	cr_expect(strstr(r.entries[0].reason, "often not known") != NULL, "%s",
		  r.entries[0].reason);
}

Test(growth, new_pools_that_nobody_was_seen_to_take_are_not_certain)
{
	struct course c = steady;
	OWNS(growth) struct growth *g = NULL;
	REPORT(r);

	c.refills_a_scan = 4;
	c.lost_pools = -4;
	g = told(&c);
	cr_assert(eq(int, growth_report_make(g, &r), 0));
	cr_expect(eq(int, r.entries[0].verdict, GROWTH_APPROXIMATE));
	cr_expect(strstr(r.entries[0].reason, "not everyone") != NULL, "%s", r.entries[0].reason);
}

Test(growth, is_what_the_line_through_all_scans_says)
{
	OWNS(growth) struct growth *g = told(&steady);
	double bytes = 500.0 * BLOCK * (SCANS - 1);
	REPORT(r);

	cr_assert(eq(int, growth_report_make(g, &r), 0));
	cr_assert(eq(u32, r.scans, SCANS));
	cr_assert(ieee_ulp_eq(dbl, r.seconds, 5.0 * (SCANS - 1), 4));
	cr_assert(ieee_ulp_eq(dbl, r.true_bytes, bytes, 4));
	cr_assert(ieee_ulp_eq(dbl, r.seen_bytes, bytes, 4));
	cr_assert(eq(u32, r.entries[0].stack, HERE));
	cr_assert(eq(u32, r.entries[0].block_bytes, BLOCK));
	cr_assert(eq(u64, r.entries[0].refills, 2 * SCANS));
	cr_assert(fabs(r.entries[0].bytes - bytes) < 1);
	cr_assert(fabs(r.entries[0].surely - bytes) < 1);
	cr_assert(fabs(r.entries[0].low - bytes) < 1 && fabs(r.entries[0].high - bytes) < 1);
	cr_assert(fabs(r.entries[0].objects - bytes / BLOCK) < 0.1);
}

Test(growth, of_few_scans_that_is_sure_of_which_nothing_was_freed)
{
	for (uint32_t scans = 2; scans < 5; scans++) {
		struct course c = { .scans = scans, .wobble = 20 };
		OWNS(growth) struct growth *g = told(&c);
		double bytes = (500.0 * (scans - 1) + (scans - 1) % 2 * 20) * BLOCK;
		REPORT(r);

		cr_assert(eq(int, growth_report_make(g, &r), 0));
		cr_assert(fabs(r.entries[0].bytes - bytes) < 1);
		cr_assert(fabs(r.entries[0].low - bytes) < 1);
		cr_assert(fabs(r.entries[0].high - bytes) < 1);
		cr_assert(fabs(r.entries[0].surely - bytes) < 1);
		cr_assert(eq(int, r.entries[0].verdict,
			     scans < 4 ? GROWTH_APPROXIMATE : GROWTH_CERTAIN));
	}
}

Test(growth, of_two_scans_nothing_else_is_sure)
{
	struct course c = { .scans = 2, .freed_every = 1 };
	OWNS(growth) struct growth *g = told(&c);
	REPORT(r);

	cr_assert(eq(int, growth_report_make(g, &r), 0));
	cr_assert(eq(sz, r.count, 1));
	cr_assert(fabs(r.entries[0].bytes - 500.0 * BLOCK) < 1);
	cr_assert(fabs(r.entries[0].high - r.entries[0].bytes) < 1);
	cr_assert(r.entries[0].low <= 0 && r.entries[0].surely <= 0);
	cr_assert(eq(int, r.entries[0].verdict, GROWTH_SHARED));
}

Test(growth, what_varies_has_an_interval)
{
	struct course c = steady;
	OWNS(growth) struct growth *g = NULL;
	REPORT(r);

	c.wobble = 300;
	g = told(&c);
	cr_assert(eq(int, growth_report_make(g, &r), 0));
	cr_assert(r.entries[0].low < r.entries[0].bytes - 1000);
	cr_assert(r.entries[0].high > r.entries[0].bytes + 1000);
	cr_assert(r.entries[0].surely < r.entries[0].low);
	cr_assert(r.entries[0].surely >= 0);
}

Test(growth, a_copy_goes_its_own_way)
{
	struct course c = steady;
	OWNS(growth) struct growth *g = told(&steady), *copy = growth_copy(g);
	REPORT(before);
	REPORT(after);
	REPORT(other);

	growth_report_make(g, &before);
	for (uint32_t i = SCANS; i < 2 * SCANS; i++) {
		tell_scan(copy, &c, i);
		growth_refilled(copy, BLOCK, HERE + i, ITS_LINE + i, 1);
		growth_sampled(copy, i, 1e6, 1, 1e6);
	}
	growth_report_make(g, &after);
	growth_report_make(copy, &other);
	cr_assert(eq(sz, before.count, after.count));
	cr_assert(eq(mem, ((struct cr_mem){ before.entries, sizeof(*before.entries) }),
		     ((struct cr_mem){ after.entries, sizeof(*after.entries) })));
	cr_assert(eq(u32, after.scans, SCANS));
	cr_assert(eq(u32, other.scans, 2 * SCANS));
	cr_assert(eq(sz, other.count, SCANS)); /* the last sample waits for its scan */
	for (size_t i = 0; i < other.count; i++)
		cr_assert(eq(int, other.entries[i].verdict == GROWTH_SHARED,
			     other.entries[i].block_bytes == BLOCK));
}

Test(growth, what_is_not_told_of_has_nothing_there)
{
	struct growth_class class = { .block_bytes = BLOCK, .live_blocks = 100, .pools = 2 };
	OWNS(growth) struct growth *g = growth_new();
	REPORT(r);

	growth_refilled(g, BLOCK, HERE, ITS_LINE, 1);
	growth_refilled(g, 2 * BLOCK, HERE, ITS_LINE, 1);
	growth_scanned(g, 0, &class, 1);
	class.block_bytes = 2 * BLOCK; /* the other one is gone */
	growth_sampled(g, 3, 5000, 1, 0);
	growth_scanned(g, 10, &class, 1);
	growth_scanned(g, 20, &class, 1);
	growth_report_make(g, &r);
	cr_assert(eq(u32, r.entries[0].block_bytes, 2 * BLOCK));
	cr_assert(fabs(r.entries[0].bytes - 200.0 * BLOCK) < 1);
	cr_assert(fabs(r.true_bytes - 100.0 * BLOCK) < 1);
}

Test(growth, only_classes_whose_refills_were_seen_count_as_seen)
{
	struct growth_class classes[] = { { BLOCK, 100, 0, 2 },
					  { 2 * BLOCK, 100, 0, 2 },
					  { 3 * BLOCK, 100, 0, 2 } };
	OWNS(growth) struct growth *g = growth_new();
	REPORT(r);

	growth_scanned(g, 0, classes, 3);
	growth_refilled(g, BLOCK, HERE, ITS_LINE, 1);
	growth_refilled(g, 3 * BLOCK, HERE, ITS_LINE, 1);
	classes[0].live_blocks += 30;
	classes[1].live_blocks += 70;
	classes[2].live_blocks -= 5;
	growth_scanned(g, 10, classes, 3);
	growth_report_make(g, &r);
	cr_assert(eq(sz, r.count, 1));
	cr_assert(fabs(r.seen_bytes - 15.0 * BLOCK) < 1e-6);
	cr_assert(fabs(r.true_bytes - 155.0 * BLOCK) < 1e-6);
}

/* One of its lines may keep what it makes. */
Test(growth, a_size_of_several_lines_is_told_of_though_it_shrinks)
{
	for (uint64_t lines = 1; lines <= 2; lines++) {
		OWNS(growth) struct growth *g = growth_new();
		REPORT(r);

		growth_refilled(g, BLOCK, HERE, ITS_LINE, 1);
		growth_refilled(g, BLOCK, HERE + 1, ITS_LINE + lines - 1, 1);
		for (uint32_t i = 0; i < SCANS; i++)
			growth_scanned(
				g, i, &(struct growth_class){ BLOCK, 1000 - 10 * i, 10 * i, 4 }, 1);
		growth_report_make(g, &r);
		cr_assert(eq(sz, r.count, lines - 1));
		cr_assert(lines < 2 || (r.entries[0].verdict == GROWTH_SHARED &&
					r.entries[0].bytes < 0 && r.entries[0].surely <= 0));
	}
}

Test(growth, candidates_are_a_stack_for_each_line_the_most_frequent_first)
{
	OWNS(growth) struct growth *g = growth_new();
	REPORT(r);

	/* Line n has 3n refills, of two stacks. */
	for (uint32_t line = 1; line <= GROWTH_CANDIDATES + 3; line++)
		for (uint32_t i = 0; i < 3 * line; i++)
			growth_refilled(g, BLOCK, 100 * line + (i % 3 == 0), line, 1);
	for (uint32_t i = 0; i < 4; i++)
		growth_refilled(g, BLOCK, 5, 0, 1);
	for (uint32_t i = 0; i < SCANS; i++)
		tell_scan(g, &steady, i);
	growth_report_make(g, &r);
	cr_assert(eq(int, r.entries[0].verdict, GROWTH_SHARED));
	cr_assert(eq(u32, r.entries[0].candidate_count, GROWTH_CANDIDATES));
	cr_assert(eq(u32, r.entries[0].more_candidates, 3));
	for (uint32_t i = 0; i < GROWTH_CANDIDATES; i++)
		cr_assert(eq(u32, r.entries[0].candidates[i], 100 * (GROWTH_CANDIDATES + 3 - i)));
	cr_assert(eq(u32, r.entries[0].stack, r.entries[0].candidates[0]));
}

Test(growth, a_refill_that_stands_for_others_counts_as_many)
{
	OWNS(growth) struct growth *g = growth_new();
	REPORT(r);

	growth_refilled(g, BLOCK, HERE, ITS_LINE, 16);
	growth_refilled(g, BLOCK, HERE + 1, ITS_LINE + 1, 1);
	growth_refilled(g, BLOCK, HERE + 1, ITS_LINE + 1, 2);
	for (uint32_t i = 0; i < SCANS; i++)
		tell_scan(g, &steady, i);
	growth_report_make(g, &r);
	cr_assert(eq(u64, r.entries[0].refills, 19));
	cr_assert(eq(u32, r.entries[0].stack, HERE), "of most refills, not of most records");
}

Test(growth, what_surely_grew_comes_first)
{
	/* One grows by 100 blocks a scan, one by 1,000 but up and down, one by 50; one shrinks. */
	OWNS(growth) struct growth *g = growth_new();
	static const uint32_t order[] = { 16, 48, 32 };
	REPORT(r);

	for (uint32_t i = 1; i <= 4; i++)
		growth_refilled(g, 16 * i, i, i, 1);
	for (uint32_t i = 0; i < SCANS; i++) {
		struct growth_class classes[] = { { 16, 10000 + 1000 * i, 0, 0 },
						  { 32, 10000 + 1000 * i + i % 2 * 9000, 0, 0 },
						  { 48, 10000 + 50 * i, 0, 0 },
						  { 64, 10000 - 10 * i, 0, 0 } };

		growth_scanned(g, i, classes, 4);
	}
	growth_report_make(g, &r);
	cr_assert(eq(sz, r.count, 3));
	for (size_t i = 0; i < 3; i++)
		cr_assert(eq(u32, r.entries[i].block_bytes, order[i]), "%zu", i);
}

Test(growth, tables_have_a_most_and_what_is_dropped_is_counted)
{
	OWNS(growth) struct growth *g = growth_new();
	struct growth_class class = { .block_bytes = BLOCK };
	REPORT(r);

	for (uint32_t i = 0; i < GROWTH_MOST_STACKS + 5; i++) {
		cr_assert(eq(int, growth_refilled(g, BLOCK, i, ITS_LINE, 1), 0));
		cr_assert(eq(int, growth_sampled(g, i, 1e5, 1, 0), 0));
	}
	cr_assert(eq(u64, growth_dropped(g), 10));
	for (uint32_t i = 0; i < GROWTH_MOST_TYPES + 7; i++)
		cr_assert(eq(int, growth_typed(g, i, BLOCK, 1), 0));
	cr_assert(eq(u64, growth_dropped(g), 17));
	for (uint32_t i = 0; i < GROWTH_MOST_SIZES + 9; i++) {
		class.block_bytes = 16 * i;
		class.live_blocks = 10;
		cr_assert(eq(int, growth_scanned(g, i, &class, 1), 0));
	}
	cr_assert(eq(u64, growth_dropped(g), 17), "of a size that nobody takes nothing is lost");
	cr_assert(eq(int, growth_refilled(g, 16 * (GROWTH_MOST_SIZES + 8), HERE, ITS_LINE, 1), 0));
	cr_assert(eq(u64, growth_dropped(g), 18));
	cr_assert(eq(int, growth_report_make(g, &r), 0));
	cr_assert(fabs(r.true_bytes - 160.0 * (GROWTH_MOST_SIZES + 8)) < 1e-6);
}

/* --- larger blocks --- */

#define RATE 524288.0

Test(growth, larger_blocks_are_judged_by_their_samples)
{
	static const struct {
		double from, a_scan, fall, variance_each;
		enum growth_verdict verdict;
		const char *reason;
	} rows[] = {
		{ 0, 4, 0, RATE * RATE, GROWTH_CERTAIN, "more lives" },
		{ 0, 1, 0, RATE * RATE, GROWTH_APPROXIMATE, "up and down" },
		{ 0, 2, 0, RATE * RATE, GROWTH_APPROXIMATE, "few samples" },
		{ 0, 4, 1, RATE * RATE, GROWTH_APPROXIMATE, "freed again" },
		{ 0, 4, 9, RATE * RATE, GROWTH_APPROXIMATE, "up and down" },
		{ 0, 1, 0, 0, GROWTH_APPROXIMATE, "few samples" },
		{ 0, 3, 0, 0, GROWTH_CERTAIN, "more lives" },
		{ 0, 4, 0, 2 * RATE * RATE, GROWTH_APPROXIMATE, "few samples" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		OWNS(growth) struct growth *g = growth_new();
		REPORT(r);

		for (uint32_t j = 0; j < SCANS; j++) {
			double n = rows[i].from + rows[i].a_scan * j;

			n -= j % 3 == 2 ? rows[i].fall + rows[i].a_scan * (rows[i].fall > 0) : 0;
			growth_sampled(g, HERE, n * RATE, n, n * rows[i].variance_each);
			growth_scanned(g, 5.0 * j, NULL, 0);
		}
		growth_report_make(g, &r);
		cr_assert(eq(sz, r.count, 1), "row %zu", i);
		cr_expect(strstr(r.entries[0].reason, rows[i].reason) != NULL, "row %zu: %s", i,
			  r.entries[0].reason);
		cr_expect(eq(int, r.entries[0].verdict, rows[i].verdict), "row %zu", i);
		cr_expect(eq(u32, r.entries[0].stack, HERE));
		cr_expect(eq(u32, r.entries[0].block_bytes, 0));
	}
}

/* Uniform in [0, 1): the same in every run. */
static double chance(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (*state >> 11) * 0x1p-53;
}

/* A leak of 10,000 blocks of 20,000 bytes, sampled: how often the interval has the truth. */
Test(growth, intervals_of_larger_blocks_cover_the_truth)
{
	const double size = 20000, p = 1 - exp(-size / RATE), truth = 10000 * size;
	uint64_t state = 5;
	int covered = 0;

	for (int run = 0; run < 400; run++) {
		OWNS(growth) struct growth *g = growth_new();
		double samples = 0;
		REPORT(r);

		for (uint32_t i = 0; i <= 10; i++) {
			growth_sampled(g, HERE, samples * size / p, samples / p,
				       samples * size * size * (1 - p) / (p * p));
			growth_scanned(g, i, NULL, 0);
			for (int j = 0; j < 1000; j++)
				samples += chance(&state) < p;
		}
		growth_report_make(g, &r);
		covered += r.entries[0].low <= truth && truth <= r.entries[0].high;
	}
	cr_assert(covered >= 372, "%d of 400", covered);
}
