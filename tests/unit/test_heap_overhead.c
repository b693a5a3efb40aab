/* SPDX-License-Identifier: Apache-2.0 */
/* What probes cost a process, and when that is too much. */
#include "daemon/heap_overhead.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>

#define SECOND UINT64_C(1000000000)
#define MS UINT64_C(1000000)

/* Of easy numbers: us a hit. */
static const struct heap_costs costs = { .emulated_ns = 1000,
					 .stepped_ns = 10000,
					 .return_ns = 2000 };

struct window {
	uint64_t wall_ns, cpu_ns;
	uint64_t hits, stepped, returns, bpf_ns;
};

static void add(struct heap_reading *at, const struct window *w)
{
	at->now_ns += w->wall_ns;
	at->cpu_ns += w->cpu_ns;
	at->counts.count[SP_HEAP_HITS] += w->hits;
	at->counts.count[SP_HEAP_STEPPED_HITS] += w->stepped;
	at->counts.count[SP_HEAP_RETURN_HITS] += w->returns;
	at->counts.count[SP_HEAP_BPF_NS] += w->bpf_ns;
}

struct share_row {
	struct window window;
	double percent; /* below 0: not known yet */
};

static const struct share_row share_rows[] = {
	{ { SECOND, 110 * MS, .hits = 10000 }, 10 },
	{ { SECOND, 110 * MS, .stepped = 1000 }, 10 },
	{ { SECOND, 110 * MS, .returns = 5000 }, 10 },
	{ { SECOND, 110 * MS, .bpf_ns = 10 * MS }, 10 },
	{ { SECOND, 140 * MS, 10000, 1000, 5000, 10 * MS }, 40 },
	{ { 2 * SECOND, 220 * MS, .hits = 20000 }, 10 },
	{ { SECOND, 100 * MS, .hits = 0 }, 0 },
	{ { SECOND - 1, 110 * MS, .hits = 10000 }, -1 },
	{ { SECOND, 20 * MS, .hits = 10000 }, 100 },
	{ { SECOND, 20 * MS - 1, .hits = 10000 }, -1 }, /* waits for more */
	{ { 10 * SECOND, 2 * MS, .hits = 1000 }, 100 }, /* but not for ever */
	{ { 10 * SECOND, 0, .hits = 0 }, 0 },
	{ { SECOND, 100 * MS, .hits = 99000 }, 990 }, /* own time is a tenth at least */
	{ { SECOND, 100 * MS, .hits = 200000 }, 2000 },
};

Test(heap_overhead, is_the_probes_share_of_what_the_process_has_without)
{
	for (size_t i = 0; i < sizeof(share_rows) / sizeof(*share_rows); i++) {
		const struct share_row *row = &share_rows[i];
		struct heap_reading at = { .now_ns = 77, .cpu_ns = 55 };
		struct heap_overhead o;

		at.counts.count[SP_HEAP_HITS] = 123456;
		heap_overhead_begin(&o, &at);
		add(&at, &row->window);
		cr_expect(heap_overhead_take(&o, &costs, &at, INFINITY) == HEAP_WITHIN_CAP);
		cr_expect(o.is_known == (row->percent >= 0), "row %zu", i);
		if (o.is_known)
			cr_expect(fabs(o.percent - row->percent) < 1e-6, "row %zu: %f", i,
				  o.percent);
	}
}

#define QUIET                                            \
	{                                                \
		SECOND, 105 * MS, .hits = 5000 /* 5 % */ \
	}
#define OVER                                               \
	{                                                  \
		SECOND, 115 * MS, .hits = 15000 /* 15 % */ \
	}
#define FAR_OVER                                             \
	{                                                    \
		SECOND, 202 * MS, .hits = 102000 /* 102 % */ \
	}
#define IDLE                                                   \
	{                                                      \
		10 * SECOND, 10 * MS, .hits = 9000 /* 900 % */ \
	}
#define MOST 10 /* percent */
#define WINDOWS 4

struct cap_row {
	struct window windows[WINDOWS];
	unsigned int over_at; /* the window from 1 on; 0: none */
};

static const struct cap_row cap_rows[] = {
	{ { QUIET, QUIET, QUIET, QUIET }, 0 },	  { { OVER, OVER, QUIET, OVER }, 0 },
	{ { QUIET, OVER, OVER, OVER }, 4 },	  { { OVER, OVER, OVER, QUIET }, 3 },
	{ { QUIET, FAR_OVER, QUIET, QUIET }, 2 }, { { IDLE, IDLE, IDLE, IDLE }, 0 },
	{ { OVER, OVER, IDLE, OVER }, 0 },
};

Test(heap_overhead, what_no_trap_is_as_fast_as_was_not_measured)
{
	const struct heap_costs coarse = { 0, 15900, -3 };
	const struct heap_costs fine = { 50, 9200, 250 };
	struct heap_costs c = heap_costs_plausible(&coarse);

	cr_expect(c.emulated_ns == 1000 && c.stepped_ns == 15900 && c.return_ns == 850);
	c = heap_costs_plausible(&fine);
	cr_expect(c.emulated_ns == 50 && c.stepped_ns == 9200 && c.return_ns == 250);
}

Test(heap_overhead, three_windows_over_the_cap_are_too_much_and_one_of_ten_times_as_much)
{
	for (size_t i = 0; i < sizeof(cap_rows) / sizeof(*cap_rows); i++) {
		struct heap_reading at = { .now_ns = 1 };
		struct heap_overhead o;
		unsigned int over_at = 0;

		heap_overhead_begin(&o, &at);
		for (unsigned int n = 0; n < WINDOWS; n++) {
			add(&at, &cap_rows[i].windows[n]);
			if (heap_overhead_take(&o, &costs, &at, MOST) == HEAP_OVER_CAP && !over_at)
				over_at = n + 1;
		}
		cr_expect(eq(uint, over_at, cap_rows[i].over_at), "row %zu", i);
	}
}

Test(heap_overhead, exactly_the_cap_is_within_it)
{
	const struct window at_cap = { SECOND, 110 * MS, .hits = 10000 };
	struct heap_reading at = { .now_ns = 1 };
	struct heap_overhead o;

	heap_overhead_begin(&o, &at);
	for (unsigned int n = 0; n < 4; n++) {
		add(&at, &at_cap);
		cr_expect(heap_overhead_take(&o, &costs, &at, MOST) == HEAP_WITHIN_CAP);
	}
}

Test(heap_overhead, what_goes_backwards_counts_as_nothing)
{
	struct heap_reading at = { .now_ns = SECOND, .cpu_ns = SECOND }, before = at;
	struct heap_overhead o;

	at.counts.count[SP_HEAP_HITS] = UINT64_MAX;
	heap_overhead_begin(&o, &at);
	before.now_ns = 3 * SECOND;
	before.cpu_ns = 2 * SECOND;
	cr_expect(heap_overhead_take(&o, &costs, &before, MOST) == HEAP_WITHIN_CAP);
	cr_expect(o.is_known && o.percent == 0);

	heap_overhead_begin(&o, &before);
	at.counts.count[SP_HEAP_HITS] = 5;
	cr_expect(heap_overhead_take(&o, &costs, &at, MOST) == HEAP_WITHIN_CAP);
	cr_expect(o.is_known == false);
}

Test(heap_overhead, what_is_forgiven_is_no_strike_and_stays_told)
{
	const struct window over = OVER;
	struct heap_reading at = { .now_ns = 1 };
	struct heap_overhead o;

	heap_overhead_begin(&o, &at);
	for (unsigned int n = 0; n < 2 * WINDOWS; n++) {
		add(&at, &over);
		cr_expect(heap_overhead_take(&o, &costs, &at, MOST) == HEAP_WITHIN_CAP);
		if (n % 2)
			heap_overhead_forgive(&o, &at);
	}
	cr_expect(o.is_known && fabs(o.percent - 15) < 1e-6);
}
