/* SPDX-License-Identifier: Apache-2.0 */
/* A session as the control API tells it. */
#include "daemon/heap_status.h"
#include "golden.h"

#include <criterion/criterion.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)

static void check(const struct heap_session *s, const char *golden)
{
	json_t *status = heap_status_json(s, 20 * SECOND);
	char *text;

	cr_assert(status != NULL);
	text = json_dumps(status, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	expect_golden(golden, text, strlen(text));
	free(text);
	json_decref(status);
}

static const struct heap_session active = {
	.number = 3,
	.state = HEAP_SESSION_ACTIVE,
	.pid = 4711,
	.name = "\xc3\x84pfel \"<x>\"\n",
	.tier = HEAP_TIER_GROWTH,
	.request = { .rate = 524288, .max_overhead = 10, .seconds = 60 },
	.unix_ns = 1700000000123456789,
	.begun_ns = 12 * SECOND + SECOND / 2,
	.sites = { { .function = "allocate_from_new_pool", .what = { .kind = SP_PROBE_REFILL } },
		   { .function = "malloc",
		     .has_return = true,
		     .what = { .kind = SP_PROBE_MALLOC } },
		   { .function = "calloc",
		     .has_return = true,
		     .what = { .kind = SP_PROBE_CALLOC } },
		   { .function = "free", .what = { .kind = SP_PROBE_FREE, .is_stepped = 1 } } },
	.site_count = 4,
	.attached = 0xb,
	.wanted = 0xb,
	.costs = { 480.5, 9300, 610 },
	.overhead = { .percent = 2.25, .is_known = true },
	.counts = { .count = { [SP_HEAP_HITS] = 100,
			       [SP_HEAP_ALLOCATED_BYTES] = UINT64_MAX,
			       [SP_HEAP_BPF_NS] = 12 },
		    .lost = { [SP_HEAP_LOST_RING_FULL] = 1, [SP_HEAP_LOST_NO_RETURN] = 2 } },
	.load = { .live_samples = 5,
		  .samples = 9,
		  .freed = 4,
		  .dropped = 7,
		  .health = { .shallow_stack_warnings = 1,
			      .total_native_stacks = 8,
			      .native_frames = 20,
			      .min_native_depth = 1 } },
	.children_not_cloned = 11,
	.scans = 2,
	.warnings = { "of a file called \"a\\b\"", "second" },
	.warning_count = 2,
	.warnings_left_out = 6,
};

Test(heap_status, every_figure_is_told)
{
	check(&active, "heap_status/active.json");
}

Test(heap_status, before_it_began_every_member_is_there)
{
	const struct heap_session s = { .state = HEAP_SESSION_ATTACHING,
					.pid = 1,
					.name = "python3",
					.tier = HEAP_TIER_TRACE };

	check(&s, "heap_status/attaching.json");
}

Test(heap_status, once_it_has_ended_it_says_why)
{
	struct heap_session s = active;

	s.attached = 0;
	heap_session_end(&s, 13 * SECOND, "the process has ended");
	check(&s, "heap_status/ended.json");
}
