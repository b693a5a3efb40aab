/* SPDX-License-Identifier: Apache-2.0 */
/* Checklist C-08 (order and times), C-18 (a cut stack says why), C-19 (sums). */
#include "daemon/tally.h"

#include "base/buffer.h"
#include "tests/unit/samples.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <errno.h>
#include <string.h>

#define MOST (1u << 20) /* of one tally */

static struct tally_budget budget = { .most = 2 * MOST };

/* The tests' only store; what is in it goes with the last reference. */
static struct stack_store *store;

static void setup(void)
{
	store = stack_store_new();
}

static void teardown(void)
{
	cr_expect(eq(sz, stack_store_count(store), 0));
	cr_expect(eq(u64, budget.used, 0));
	stack_store_free(store);
}

TestSuite(tally, .init = setup, .fini = teardown);

static int add(struct tally *t, struct process *p, const struct sp_sample *record,
	       uint64_t weight_ns)
{
	struct sampled x = { .record = record, .process = p, .store = store };
	struct tally_sample sample;
	int err;

	cr_assert(eq(int, sampled_store(&x), 0));
	sample = (struct tally_sample){ x.stack, x.thread, weight_ns, record->head.time_ns };
	err = tally_add(t, &sample);
	sampled_fini(&x);
	return err;
}

static struct profile *filled(struct tally *t)
{
	struct profile *out = profile_new();

	cr_assert(eq(int, tally_fill(t, out, 5000), 0));
	return out;
}

Test(tally, equal_stacks_of_a_thread_are_one_row)
{
	OWNS(tally) struct tally *t = tally_new(TALLY_SUMS, &budget);
	struct process *p = a_process(1, 1);
	uint32_t count;

	cr_assert(eq(int, add(t, p, a_sample(7, 1, 3), 10), 0));
	cr_assert(eq(int, add(t, p, a_sample(7, 1, 3), 20), 0));
	cr_assert(eq(int, add(t, p, a_sample(8, 1, 3), 30), 0));
	cr_assert(eq(int, add(t, p, a_sample(7, 2, 2), 40), 0));
	process_unref(p);
	cr_expect(eq(u64, tally_count(t), 4));
	cr_expect(eq(u64, tally_weight_ns(t), 100));

	OWNS(profile) struct profile *out = filled(t);
	const struct profile_sample *rows = profile_samples(out, &count);

	cr_assert(eq(uint, count, 3));
	cr_expect(eq(i64, rows[0].weight, 30));
	cr_expect(eq(u64, rows[0].count, 2));
	cr_expect(eq(u64, rows[0].timestamp_ns, 0));
	cr_expect(eq(i64, rows[1].weight, 30));
	cr_expect(eq(i64, rows[2].weight, 40));
}

Test(tally, the_same_addresses_in_two_processes_are_two_stacks)
{
	OWNS(tally) struct tally *t = tally_new(TALLY_SUMS, &budget);
	struct process *p = a_process(1, 1), *q = a_process(2, 1);
	uint32_t count;

	add(t, p, a_sample(7, 1, 3), 10);
	add(t, q, a_sample(7, 1, 3), 10);
	process_unref(p);
	process_unref(q);

	OWNS(profile) struct profile *out = filled(t);

	profile_samples(out, &count);
	cr_expect(eq(uint, count, 2));
	profile_threads(out, &count);
	cr_expect(eq(uint, count, 2));
}

Test(tally, keeps_the_order_and_unix_times_when_asked)
{
	OWNS(tally) struct tally *t = tally_new(TALLY_ORDER, &budget);
	struct process *p = a_process(1, 1);
	uint32_t count;

	add(t, p, a_sample(7, 2, 1), 10);
	add(t, p, a_sample(7, 1, 1), 10);
	add(t, p, a_sample(7, 2, 1), 10);
	process_unref(p);

	OWNS(profile) struct profile *out = profile_new();

	profile_about(out)->keeps_order = true;
	cr_assert(eq(int, tally_fill(t, out, 5000), 0));

	const struct profile_sample *rows = profile_samples(out, &count);

	cr_assert(eq(uint, count, 3));
	cr_expect(eq(u64, rows[0].timestamp_ns, 6002));
	cr_expect(eq(u64, rows[1].timestamp_ns, 6001));
	cr_expect(eq(uint, rows[0].stack, rows[2].stack));
}

/* The names of a stack, newest first, each followed by ";". Free it. */
static char *path(const struct profile *p, profile_id stack)
{
	struct buffer text = { 0 };
	uint32_t count;

	for (; stack != PROFILE_NONE; stack = profile_stacks(p, &count)[stack].prefix) {
		profile_id frame = profile_stacks(p, &count)[stack].frame;
		profile_id function = profile_frames(p, &count)[frame].function;
		profile_id name = profile_functions(p, &count)[function].name;

		buffer_print(&text, "%s;", profile_string(p, name));
	}
	return text.data;
}

struct end_row {
	char name[32];
	uint32_t end, frame_count;
	char path[64];
};

static struct end_row ends[] = {
	{ "whole", SP_END_COMPLETE, 2, "[unknown];[unknown];" },
	{ "cut at the depth", SP_END_DEPTH, 1, "[unknown];[truncated];" },
	{ "a page was away", SP_END_FAULT, 1, "[unknown];[unreadable];" },
	{ "no Python thread", SP_END_NO_THREAD, 0, "[native];" },
	{ "no frame", SP_END_COMPLETE, 0, "[native];" },
	{ "no layout yet", SP_END_STARTING, 0, "[starting];" },
};

ParameterizedTestParameters(tally, a_stack_says_why_it_ends)
{
	return cr_make_param_array(struct end_row, ends, sizeof(ends) / sizeof(ends[0]));
}

ParameterizedTest(struct end_row *row, tally, a_stack_says_why_it_ends)
{
	OWNS(tally) struct tally *t = tally_new(TALLY_SUMS, &budget);
	struct process *p = a_process(1, 1);
	uint32_t count;

	struct sp_sample *cut = a_sample(7, 1, row->frame_count);

	cut->end = row->end;
	add(t, p, cut, 10);
	process_unref(p);

	OWNS(profile) struct profile *out = filled(t);

	OWNS_MEM char *names = path(out, profile_samples(out, &count)[0].stack);

	cr_expect(eq(str, names, row->path), "%s", row->name);
}

Test(tally, holds_the_process_for_its_names)
{
	struct tally *t = tally_new(TALLY_SUMS, &budget);
	struct process *p = a_process(1, 1);

	add(t, p, a_sample(7, 1, 1), 10);
	cr_expect(p->refs > 1);
	tally_free(t);
	cr_expect(eq(uint, p->refs, 1));
	process_unref(p);
}

Test(tally, at_its_limit_it_refuses_and_keeps_what_it_has)
{
	OWNS(tally) struct tally *t = tally_new(TALLY_SUMS, &budget);
	struct process *p = a_process(1, 1);
	uint32_t seed = 0;
	int err = 0;

	/* 128 frames are 2 KiB: 1 MiB holds fewer than 512 such stacks. */
	while (!err && seed < 512)
		err = add(t, p, a_sample(7, ++seed, SP_FRAMES_USUAL), 1);
	cr_expect(eq(int, err, -ENOSPC));
	cr_expect(eq(u64, tally_count(t), seed - 1));
	cr_expect(seed > 300);
	cr_expect(le(u64, tally_bytes(t), MOST));
	cr_expect(eq(int, add(t, p, a_sample(7, 1, SP_FRAMES_USUAL), 1), 0));
	process_unref(p);
}

Test(tally, tallies_share_a_budget)
{
	struct tally *first = tally_new(TALLY_SUMS, &budget),
		     *second = tally_new(TALLY_SUMS, &budget);
	OWNS(tally) struct tally *third = tally_new(TALLY_SUMS, &budget);
	struct process *p = a_process(1, 1);

	for (uint32_t seed = 1; seed < 512; seed++) {
		add(first, p, a_sample(7, seed, SP_FRAMES_USUAL), 1);
		add(second, p, a_sample(7, seed, SP_FRAMES_USUAL), 1);
	}
	cr_expect(le(u64, budget.used, budget.most));
	cr_expect(eq(int, add(third, p, a_sample(7, 1000, SP_FRAMES_USUAL), 1), -ENOSPC));
	tally_free(first);
	cr_expect(eq(int, add(third, p, a_sample(7, 2000, SP_FRAMES_USUAL), 1), 0));
	tally_free(second);
	process_unref(p);
}
