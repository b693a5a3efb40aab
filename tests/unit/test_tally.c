/* SPDX-License-Identifier: Apache-2.0 */
/* Checklist C-08 (order and times), C-18 (a cut stack says why), C-19 (sums). */
#include "daemon/tally.h"

#include "base/buffer.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <errno.h>
#include <string.h>

static union {
	struct sp_sample sample;
	__u8 room[sizeof(struct sp_sample) + SP_MAX_FRAMES * sizeof(struct sp_frame)];
} made;

/* A sample of @tid with @count frames, newest first: code 100 * @seed, 100 * @seed + 1, … */
static const struct sp_sample *sample(uint32_t tid, uint32_t seed, uint32_t count)
{
	memset(&made, 0, sizeof(made));
	made.sample.head.tid = tid;
	made.sample.head.time_ns = 1000 + seed;
	made.sample.frame_count = count;
	strcpy(made.sample.comm, "worker");
	for (uint32_t i = 0; i < count; i++)
		made.sample.frames[i] = (struct sp_frame){ .code = 100 * seed + i, .key = 1 };
	return &made.sample;
}

static struct process *process(pid_t pid)
{
	struct process *p = process_new(pid);

	strcpy(p->name, "app");
	return p;
}

static struct profile *filled(struct tally *t)
{
	struct profile *out = profile_new();

	cr_assert(eq(int, tally_fill(t, out, 5000), 0));
	return out;
}

Test(tally, equal_stacks_of_a_thread_are_one_row)
{
	OWNS(tally) struct tally *t = tally_new(TALLY_SUMS);
	struct process *p = process(1);
	uint32_t count;

	cr_assert(eq(int, tally_add(t, p, sample(7, 1, 3), 10), 0));
	cr_assert(eq(int, tally_add(t, p, sample(7, 1, 3), 20), 0));
	cr_assert(eq(int, tally_add(t, p, sample(8, 1, 3), 30), 0));
	cr_assert(eq(int, tally_add(t, p, sample(7, 2, 2), 40), 0));
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
	OWNS(tally) struct tally *t = tally_new(TALLY_SUMS);
	struct process *p = process(1), *q = process(2);
	uint32_t count;

	tally_add(t, p, sample(7, 1, 3), 10);
	tally_add(t, q, sample(7, 1, 3), 10);
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
	OWNS(tally) struct tally *t = tally_new(TALLY_ORDER);
	struct process *p = process(1);
	uint32_t count;

	tally_add(t, p, sample(7, 2, 1), 10);
	tally_add(t, p, sample(7, 1, 1), 10);
	tally_add(t, p, sample(7, 2, 1), 10);
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
	OWNS(tally) struct tally *t = tally_new(TALLY_SUMS);
	struct process *p = process(1);
	uint32_t count;

	sample(7, 1, row->frame_count);
	made.sample.end = row->end;
	tally_add(t, p, &made.sample, 10);
	process_unref(p);

	OWNS(profile) struct profile *out = filled(t);

	OWNS_MEM char *names = path(out, profile_samples(out, &count)[0].stack);

	cr_expect(eq(str, names, row->path), "%s", row->name);
}

Test(tally, holds_the_process_for_its_names)
{
	struct tally *t = tally_new(TALLY_SUMS);
	struct process *p = process(1);

	tally_add(t, p, sample(7, 1, 1), 10);
	tally_add(t, p, sample(7, 2, 1), 10);
	cr_expect(eq(uint, p->refs, 2));
	tally_free(t);
	cr_expect(eq(uint, p->refs, 1));
	process_unref(p);
}

Test(tally, at_its_limit_it_refuses_and_keeps_what_it_has)
{
	OWNS(tally) struct tally *t = tally_new(TALLY_SUMS);
	struct process *p = process(1);
	uint32_t seed = 0;
	int err = 0;

	/* 128 frames are 2 KiB: 256 MiB hold fewer than 200,000 such stacks. */
	while (!err && seed < 200000)
		err = tally_add(t, p, sample(7, ++seed, SP_MAX_FRAMES), 1);
	cr_expect(eq(int, err, -ENOSPC));
	cr_expect(eq(u64, tally_count(t), seed - 1));
	cr_expect(eq(int, tally_add(t, p, sample(7, 1, SP_MAX_FRAMES), 1), 0));
	process_unref(p);
}
