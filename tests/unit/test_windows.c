/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/windows.h"

#include "daemon/rates.h"
#include "tests/unit/samples.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <malloc.h>
#include <string.h>

#define S WINDOWS_SLICE_NS
#define BEGIN (1000 * S)

static struct rates rates;
static struct stack_store *store;
static struct windows *w;
static struct selection all = { .sees_all = true, .kind = SELECT_ALL };

static void setup(void)
{
	struct windows_limits limits = { .keep_ns = 600 * S, .bytes = 64u << 20 };

	store = stack_store_new();
	w = windows_new(&rates, &limits);
	rates_set(&rates, 99, BEGIN);
	windows_start(w, BEGIN);
}

static void teardown(void)
{
	windows_free(w);
	cr_expect(eq(sz, stack_store_count(store), 0));
	stack_store_free(store);
	rates_fini(&rates);
}

TestSuite(windows, .init = setup, .fini = teardown);

static void add_frames(struct process *p, uint32_t tid, uint32_t seed, uint32_t frames,
		       uint64_t time_ns, uint64_t weight_ns)
{
	struct sp_sample *record = a_sample(tid, seed, frames);
	struct sampled x = { .record = record, .process = p, .store = store };

	record->head.time_ns = time_ns;
	record->weight_ns = weight_ns;
	windows_add(w, &x);
	sampled_fini(&x);
}

static void add(struct process *p, uint32_t seed, uint64_t time_ns, uint64_t weight_ns)
{
	add_frames(p, 7, seed, 3, time_ns, weight_ns);
}

static void turn(uint64_t now_ns, uint64_t ring_full)
{
	struct collector_counts counts = { .lost = { [SP_LOST_RING_FULL] = ring_full } };

	windows_turn(w, now_ns, &counts);
}

static struct profile *ask(const struct selection *s, uint64_t now_ns, uint64_t length_ns)
{
	struct profile *p = NULL;

	cr_assert(eq(int, windows_profile(w, s, now_ns, length_ns, &p, NULL), 0));
	return p;
}

static int64_t weight_of(const struct profile *p)
{
	uint32_t count;
	const struct profile_sample *rows = profile_samples(p, &count);
	int64_t weight = 0;

	for (uint32_t i = 0; i < count; i++)
		weight += rows[i].weight;
	return weight;
}

static int64_t asked_weight(const struct selection *s, uint64_t now_ns, uint64_t length_ns)
{
	OWNS(profile) struct profile *p = ask(s, now_ns, length_ns);

	return weight_of(p);
}

Test(windows, a_length_is_rounded_out_to_slices)
{
	struct process *p = a_process(1, 1);

	for (uint64_t i = 0; i < 20; i++)
		add(p, i % 3, BEGIN + i * S + S / 2, 10);
	cr_expect(eq(i64, asked_weight(&all, BEGIN + 20 * S - 1, 1), 10));
	cr_expect(eq(i64, asked_weight(&all, BEGIN + 20 * S - 1, 2 * S), 30));
	cr_expect(eq(i64, asked_weight(&all, BEGIN + 20 * S - 1, 3600 * S), 200));

	OWNS(profile) struct profile *last = ask(&all, BEGIN + 20 * S - 1, 2 * S);

	cr_expect(eq(u64, profile_about_get(last)->duration_ns, 3 * S - 1));
	cr_expect(eq(u64, profile_about_get(last)->taken, 3));
	cr_expect(eq(str, (char *)profile_string(last, profile_about_get(last)->rates), "99"));
	process_unref(p);
}

Test(windows, what_was_before_the_start_is_not_there)
{
	struct process *p = a_process(1, 1);

	add(p, 1, BEGIN - 1, 10);
	add(p, 1, BEGIN + 5, 1000); /* of a tick whose time began before */
	cr_expect(eq(i64, asked_weight(&all, BEGIN + 10, S), 5));
	cr_expect(eq(u64, windows_span_ns(w, BEGIN + 10), 10));
	process_unref(p);
}

Test(windows, what_is_too_old_goes)
{
	struct process *p = a_process(1, 1);

	for (uint64_t i = 0; i < 1000; i++) {
		add(p, i % 3, BEGIN + i * S, 10);
		turn(BEGIN + i * S, 0);
	}
	cr_expect(eq(u64, windows_load(w, BEGIN + 999 * S).samples, 601));
	cr_expect(eq(u64, windows_load(w, BEGIN + 999 * S).dropped_slices, 0));
	cr_expect(eq(u64, windows_span_ns(w, BEGIN + 999 * S), 600 * S));
	process_unref(p);
}

Test(windows, late_records_find_their_slice)
{
	struct process *p = a_process(1, 1);

	add(p, 1, BEGIN + 10 * S, 10);
	turn(BEGIN + 12 * S, 0);
	add(p, 1, BEGIN + 10 * S + 5, 10); /* its slice is closed */
	add(p, 1, BEGIN + 8 * S, 10);	   /* its slice is not there */
	cr_expect(eq(i64, asked_weight(&all, BEGIN + 12 * S, 2 * S), 20));
	cr_expect(eq(i64, asked_weight(&all, BEGIN + 12 * S, 4 * S), 30));
	process_unref(p);
}

Test(windows, a_pid_means_the_newest_process_that_had_it)
{
	struct selection pid = { .sees_all = true, .pids = { 7 }, .pid_count = 1 };
	struct process *old = a_process(7, 1), *new = a_process(7, 2), *newest = NULL;
	struct profile *out;

	add(old, 1, BEGIN + S, 10);
	add(new, 1, BEGIN + 2 * S, 20);
	add(old, 2, BEGIN + 3 * S, 40);
	cr_expect(eq(i64, asked_weight(&pid, BEGIN + 4 * S, 10 * S), 20));
	cr_expect(eq(ptr, windows_find(w, 7), new));
	cr_expect(eq(ptr, windows_find(w, 8), NULL));
	windows_profile(w, &pid, BEGIN + 4 * S, 10 * S, &out, &newest);
	cr_expect(eq(ptr, newest, new));
	profile_free(out);
	process_unref(old);
	process_unref(new);
}

Test(windows, a_process_that_ended_keeps_its_samples)
{
	struct selection pid = { .sees_all = true, .pids = { 7 }, .pid_count = 1 };
	struct process *p = a_process(7, 1);

	add(p, 1, BEGIN + S, 10);
	p->ended_ns = BEGIN + 2 * S;
	process_unref(p);
	turn(BEGIN + 100 * S, 0);
	cr_expect(eq(i64, asked_weight(&pid, BEGIN + 100 * S, 200 * S), 10));
}

Test(windows, losses_belong_to_their_slice)
{
	struct process *p = a_process(1, 1);

	turn(BEGIN, 100); /* of before */
	add(p, 1, BEGIN + S, 10);
	turn(BEGIN + 5 * S, 103);
	turn(BEGIN + 9 * S, 104);

	OWNS(profile) struct profile *whole = ask(&all, BEGIN + 9 * S, 100 * S);
	OWNS(profile) struct profile *last = ask(&all, BEGIN + 9 * S, 2 * S);

	cr_expect(eq(u64, profile_about_get(whole)->lost, 4));
	cr_expect(eq(u64, profile_about_get(whole)->taken, 5));
	cr_expect(eq(u64, profile_about_get(last)->lost, 1));
	process_unref(p);
}

Test(windows, another_users_samples_are_not_told)
{
	struct selection own = { .uid = 1000, .kind = SELECT_ALL };
	struct process *p = a_process(1, 1), *q = a_process(2, 1);

	p->uid = 1000;
	q->uid = 1001;
	add(p, 1, BEGIN + S, 10);
	add(q, 1, BEGIN + S, 20);
	cr_expect(eq(i64, asked_weight(&own, BEGIN + S, S), 10));
	process_unref(p);
	process_unref(q);
}

Test(windows, a_stop_forgets_and_a_start_begins_anew)
{
	struct process *p = a_process(1, 1);

	add(p, 1, BEGIN + S, 10);
	windows_stop(w);
	add(p, 1, BEGIN + 2 * S, 10);
	cr_expect(eq(u64, windows_load(w, BEGIN + 2 * S).bytes, 0));
	cr_expect(eq(u64, windows_span_ns(w, BEGIN + 2 * S), 0));
	windows_start(w, BEGIN + 3 * S);
	add(p, 1, BEGIN + 4 * S, 10);
	cr_expect(eq(i64, asked_weight(&all, BEGIN + 5 * S, 100 * S), 10));
	process_unref(p);
}

Test(windows, a_single_slice_over_the_limit_refuses_and_counts)
{
	struct windows_limits tight = { .keep_ns = 600 * S, .bytes = 1u << 20 };
	struct process *p = a_process(1, 1);

	windows_set_limits(w, &tight);
	for (uint32_t i = 0; i < 1000; i++)
		add_frames(p, 7, i, SP_FRAMES_USUAL, BEGIN + S + i, 10);

	struct windows_load load = windows_load(w, BEGIN + 2 * S);

	cr_expect(load.refused > 400);
	cr_expect(eq(u64, load.samples + load.refused, 1000));
	cr_expect(lt(u64, load.bytes, tight.bytes + 4096));

	OWNS(profile) struct profile *out = ask(&all, BEGIN + 2 * S, S);

	cr_expect(eq(u64, profile_about_get(out)->lost, load.refused));
	cr_expect(eq(u64, profile_about_get(out)->taken, 1000));
	process_unref(p);
}

#define PROCESSES 50
#define STACKS 20000
#define TIGHT_S 600
#ifdef __SANITIZE_ADDRESS__
#define HOUR_S 1200 /* a third of an hour says as much of memory, and takes seconds less */
#else
#define HOUR_S 3600
#endif
#define HZ 198 /* 99 Hz on two processors */

/* Samples as a machine with many busy processes brings them. */
static void replay(struct process **processes, uint64_t seconds)
{
	uint64_t random = 88172645463325252ull;

	for (uint64_t i = 0; i < seconds * HZ; i++) {
		uint64_t now = BEGIN + i * S / HZ;
		uint32_t stack;

		random ^= random << 13; /* xorshift64 */
		random ^= random >> 7;
		random ^= random << 17;
		stack = random % STACKS;
		add_frames(processes[stack % PROCESSES], 1 + stack % 3, stack, 10 + stack % 40, now,
			   S / HZ);
		if (i % (HZ / 4) == 0)
			turn(now, 0);
	}
}

/* Replays @seconds within @limit and returns what the windows then hold. */
static struct windows_load load_within(uint64_t seconds, uint64_t limit)
{
	struct windows_limits limits = { .keep_ns = 600 * S, .bytes = limit };
	uint64_t before = mallinfo2().uordblks, end = BEGIN + seconds * S;
	struct process *processes[PROCESSES];
	struct windows_load load;

	windows_set_limits(w, &limits);
	for (unsigned int i = 0; i < PROCESSES; i++)
		processes[i] = a_process(100 + i, 1);
	replay(processes, seconds);
	load = windows_load(w, end);
	cr_expect(le(u64, load.bytes, limit));
	/* malloc agrees, but for the store's buckets. */
	cr_expect(lt(u64, mallinfo2().uordblks - before, limit + (1u << 20)));
	for (unsigned int i = 0; i < PROCESSES; i++)
		process_unref(processes[i]);
	return load;
}

Test(windows, an_hour_fits_the_default_limit_and_ten_minutes_are_there)
{
	struct windows_load load = load_within(HOUR_S, 64u << 20);

	cr_expect(eq(u64, load.dropped_slices, 0));
	cr_expect(eq(u64, load.refused, 0));
	cr_expect(ge(u64, load.samples, 600 * HZ));
	cr_expect(ge(u64, load.span_ns, 600 * S));
	cr_expect(eq(u64, windows_load(w, BEGIN + HOUR_S * S).bytes, load.bytes));
}

Test(windows, under_a_tight_limit_the_oldest_goes_first_and_is_counted)
{
	struct windows_load load = load_within(TIGHT_S, 4u << 20);
	uint64_t end = BEGIN + TIGHT_S * S;
	uint64_t kept_s = load.span_ns / S;

	cr_expect(load.dropped_slices > TIGHT_S / 2);
	cr_expect(eq(u64, load.refused, 0));
	cr_expect(kept_s > 5);
	cr_expect(lt(u64, kept_s, TIGHT_S / 2));
	/* What is kept is whole: each of the last seconds has all of its samples. */
	cr_expect(eq(u64, load.samples, kept_s * HZ));
	cr_expect(eq(i64, asked_weight(&all, end - 1, kept_s * S),
		     (int64_t)(kept_s * HZ) * (int64_t)(S / HZ)));
}
