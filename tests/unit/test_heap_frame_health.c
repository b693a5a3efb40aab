/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/frame_health.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

static struct row {
	const char name[40];
	uint64_t shallow;
	uint64_t total;
	const char confidence[8];
} rows[] = {
	{ "no stack at all", 0, 0, "high" },	  { "none is shallow", 0, 100, "high" },
	{ "less than 5 %", 499, 10000, "high" },  { "exactly 5 %", 1, 20, "medium" },
	{ "between", 12, 100, "medium" },	  { "exactly 20 %", 3, 15, "medium" },
	{ "more than 20 %", 2001, 10000, "low" }, { "each is shallow", 7, 7, "low" },
};

ParameterizedTestParameters(heap_frame_health, confidence_follows_the_share_of_shallow_stacks)
{
	return cr_make_param_array(struct row, rows, sizeof(rows) / sizeof(*rows));
}

ParameterizedTest(struct row *r, heap_frame_health, confidence_follows_the_share_of_shallow_stacks)
{
	struct frame_health h = { .shallow_stack_warnings = r->shallow,
				  .total_native_stacks = r->total };
	const char *name = frame_confidence_name(frame_health_confidence(&h));

	cr_expect(eq(str, (char *)name, (char *)r->confidence), "%s", r->name);
}

Test(heap_frame_health, without_a_stack_all_is_zero)
{
	struct frame_health h = { 0 };

	cr_expect(eq(dbl, frame_health_truncation_rate(&h), 0));
	cr_expect(eq(dbl, frame_health_avg_native_depth(&h), 0));
	cr_expect(eq(u32, h.min_native_depth, 0));
}

Test(heap_frame_health, tells_depths_of_the_stacks_it_has_seen)
{
	struct frame_health h = { 0 };

	frame_health_add(&h, 12);
	frame_health_add(&h, FRAME_HEALTH_SHALLOW);
	frame_health_add(&h, FRAME_HEALTH_SHALLOW - 1);
	frame_health_add(&h, 23);
	cr_expect(eq(u64, h.total_native_stacks, 4));
	cr_expect(eq(u64, h.shallow_stack_warnings, 1));
	cr_expect(eq(dbl, frame_health_truncation_rate(&h), 0.25));
	cr_expect(eq(dbl, frame_health_avg_native_depth(&h), 10));
	cr_expect(eq(u32, h.min_native_depth, 2));
}

Test(heap_frame_health, merging_is_as_if_one_had_seen_all)
{
	struct frame_health none = { 0 }, one = { 0 }, two = { 0 };

	frame_health_add(&one, 9);
	frame_health_add(&two, 1);
	frame_health_add(&two, 20);
	frame_health_merge(&one, &none);
	cr_expect(eq(u32, one.min_native_depth, 9));
	frame_health_merge(&none, &two);
	cr_expect(eq(u32, none.min_native_depth, 1));
	frame_health_merge(&one, &two);
	cr_expect(eq(u64, one.total_native_stacks, 3));
	cr_expect(eq(u64, one.shallow_stack_warnings, 1));
	cr_expect(eq(dbl, frame_health_avg_native_depth(&one), 10));
	cr_expect(eq(u32, one.min_native_depth, 1));
}
