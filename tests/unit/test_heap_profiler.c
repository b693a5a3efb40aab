/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/heap_profiler.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define SOMEWHERE 0x7f0000001000ull

static const struct heap_settings settings = { .sampling_rate = 65536, .capture_python = true };

/* Its states, each from the one before. */
static struct heap_profiler *profiler_in(enum heap_state state)
{
	struct buffer why OWNS(buffer) = { 0 };
	struct heap_profiler *p = heap_profiler_new();

	if (state > HEAP_UNINITIALIZED)
		cr_assert(eq(int, heap_profiler_init(p, &settings, &why), 0));
	if (state > HEAP_INITIALIZED)
		cr_assert(eq(int, heap_profiler_start(p, &why), 0));
	if (state > HEAP_ACTIVE)
		cr_assert(eq(int, heap_profiler_stop(p, &why), 0));
	if (state > HEAP_STOPPED)
		cr_assert(eq(int, heap_profiler_shutdown(p, &why), 0));
	cr_assert(eq(int, heap_profiler_state(p), state));
	return p;
}

static int sample(struct heap_profiler *p, uint16_t process, int number, uint64_t size)
{
	struct stack_frame frames[2] = { { .address = number % 3 + 1 }, { .address = 100 } };
	struct heap_allocation a = {
		.address = SOMEWHERE + number * 16, .size = size, .now_ns = 1000, .process = process
	};
	int64_t stack = stack_table_intern(heap_profiler_stacks(p), frames, 2, 0);

	return heap_profiler_sample_stack(p, &a, stack < 0 ? HEAP_NO_STACK : (uint32_t)stack);
}

static int freed(struct heap_profiler *p, uint16_t process, int number)
{
	return heap_profiler_freed(p, process, SOMEWHERE + number * 16, 2000);
}

static struct heap_profiler_stats stats_of(struct heap_profiler *p)
{
	struct buffer why OWNS(buffer) = { 0 };
	struct heap_profiler_stats s = { 0 };

	cr_assert(eq(int, heap_profiler_stats(p, 3000, &s, &why), 0));
	cr_expect(eq(u64, s.total_samples, s.live_samples + s.freed_samples + s.lost_samples));
	return s;
}

static int call(struct heap_profiler *p, enum heap_call which, struct buffer *why)
{
	struct heap_snapshot snapshot OWNS(heap_snapshot) = { 0 };
	struct heap_profiler_stats stats;

	switch (which) {
	case HEAP_CALL_INIT:
		return heap_profiler_init(p, &settings, why);
	case HEAP_CALL_START:
		return heap_profiler_start(p, why);
	case HEAP_CALL_STOP:
		return heap_profiler_stop(p, why);
	case HEAP_CALL_SHUTDOWN:
		return heap_profiler_shutdown(p, why);
	case HEAP_CALL_SNAPSHOT:
		return heap_profiler_snapshot(p, 1, &snapshot, why);
	default:
		return heap_profiler_stats(p, 1, &stats, why);
	}
}

#define NO -1

/* The state after each call, or NO. Columns: init, start, stop, shutdown, snapshot, stats. */
static const int table[HEAP_STATE_MAX][HEAP_CALL_MAX] = {
	[HEAP_UNINITIALIZED] = { HEAP_INITIALIZED, NO, NO, HEAP_TERMINATED, NO, NO },
	[HEAP_INITIALIZED] = { NO, HEAP_ACTIVE, NO, HEAP_TERMINATED, NO, NO },
	[HEAP_ACTIVE] = { NO, NO, HEAP_STOPPED, HEAP_TERMINATED, HEAP_ACTIVE, HEAP_ACTIVE },
	[HEAP_STOPPED] = { NO, HEAP_ACTIVE, HEAP_STOPPED, HEAP_TERMINATED, HEAP_STOPPED,
			   HEAP_STOPPED },
	[HEAP_TERMINATED] = { NO, NO, NO, HEAP_TERMINATED, NO, NO },
};

Test(heap_profiler, each_call_in_each_state_does_what_the_table_says)
{
	for (int state = 0; state < HEAP_STATE_MAX; state++) {
		for (int which = 0; which < HEAP_CALL_MAX; which++) {
			OWNS(heap_profiler) struct heap_profiler *p = profiler_in(state);
			struct buffer why OWNS(buffer) = { 0 };
			int after = table[state][which];
			int err = call(p, which, &why);

			cr_expect(eq(int, err, after == NO ? -EPERM : 0), "%s in %s",
				  heap_call_name(which), heap_state_name(state));
			cr_expect(eq(int, heap_profiler_state(p), after == NO ? state : after));
		}
	}
}

Test(heap_profiler, a_refusal_names_the_call_and_the_state)
{
	OWNS(heap_profiler) struct heap_profiler *p = profiler_in(HEAP_TERMINATED);
	struct buffer why OWNS(buffer) = { 0 };

	cr_assert(eq(int, heap_profiler_start(p, &why), -EPERM));
	cr_expect(eq(str, why.data, "start: the heap profiler is TERMINATED"));
}

Test(heap_profiler, a_rate_that_is_none_is_refused)
{
	static const uint64_t rows[] = { 0, 1ull << 32 };
	OWNS(heap_profiler) struct heap_profiler *p = heap_profiler_new();
	struct buffer why OWNS(buffer) = { 0 };

	for (int i = 0; i < 2; i++) {
		struct heap_settings s = { .sampling_rate = rows[i] };

		cr_expect(eq(int, heap_profiler_init(p, &s, &why), -EINVAL));
	}
	cr_expect(eq(int, heap_profiler_state(p), HEAP_UNINITIALIZED));
	cr_expect(heap_profiler_settings(p) == NULL);
	cr_assert(eq(int, heap_profiler_init(p, &settings, &why), 0));
	cr_expect(eq(u64, heap_profiler_settings(p)->sampling_rate, 65536));
	cr_expect(heap_profiler_settings(p)->capture_python);
}

/* Else what was freed since then would look like a leak. */
Test(heap_profiler, stopped_it_ignores_allocations_but_not_frees)
{
	OWNS(heap_profiler) struct heap_profiler *p = profiler_in(HEAP_ACTIVE);
	struct buffer why OWNS(buffer) = { 0 };

	cr_assert(eq(int, sample(p, 1, 0, 100), 0));
	cr_assert(eq(int, sample(p, 1, 1, 100), 0));
	cr_assert(eq(int, heap_profiler_stop(p, &why), 0));
	cr_expect(eq(int, sample(p, 1, 2, 100), -ESHUTDOWN));
	cr_expect(eq(int, freed(p, 1, 0), 0));
	cr_expect(eq(u64, stats_of(p).live_samples, 1));
	cr_assert(eq(int, heap_profiler_start(p, &why), 0));
	cr_expect(eq(int, sample(p, 1, 2, 100), 0));
	cr_expect(eq(u64, stats_of(p).live_samples, 2));
	cr_assert(eq(int, heap_profiler_shutdown(p, &why), 0));
	cr_expect(eq(int, sample(p, 1, 3, 100), -ESHUTDOWN));
	cr_expect(eq(int, freed(p, 1, 1), -ESHUTDOWN));
}

Test(heap_profiler, before_start_nothing_is_tracked)
{
	OWNS(heap_profiler) struct heap_profiler *p = profiler_in(HEAP_INITIALIZED);

	cr_expect(eq(int, sample(p, 1, 0, 1), -ESHUTDOWN));
	cr_expect(eq(int, freed(p, 1, 0), -ESHUTDOWN));
	cr_expect(eq(i64, heap_profiler_forked(p, 1, 2, 0), -ESHUTDOWN));
	cr_expect(eq(i64, heap_profiler_ended(p, 1, 0), -ESHUTDOWN));
	cr_expect(eq(int, heap_profiler_maintain(p), -ESHUTDOWN));
	cr_expect(eq(u64, heap_profiler_statistics(p).total_samples, 0));
}

Test(heap_profiler, its_numbers_add_up)
{
	OWNS(heap_profiler) struct heap_profiler *p = profiler_in(HEAP_ACTIVE);
	struct heap_profiler_stats s;
	struct heap_statistics of;

	for (int i = 0; i < 100; i++)
		cr_assert(eq(int, sample(p, 1, i, 1000000000), 0));
	for (int i = 0; i < 30; i++)
		cr_assert(eq(int, freed(p, 1, i), 0));
	cr_expect(eq(int, freed(p, 2, 99), -ENOENT));
	cr_assert(eq(int, sample(p, 1, 99, 5), 0)); /* its free was not seen */
	cr_assert(eq(int,
		     heap_profiler_sample_stack(p, &(struct heap_allocation){ .address = 7 },
						HEAP_NO_STACK),
		     -EINVAL));
	s = stats_of(p);
	cr_expect(eq(u64, s.total_samples, 102));
	cr_expect(eq(u64, s.live_samples, 70));
	cr_expect(eq(u64, s.freed_samples, 31));
	cr_expect(eq(u64, s.lost_samples, 1));
	cr_expect(eq(u64, s.unique_stacks, 3));
	cr_expect(eq(u64, s.estimated_heap_bytes, 69ull * 1000000000 + 65539));
	cr_expect(eq(u64, s.sampling_rate_bytes, 65536));
	cr_expect(epsilon_eq(dbl, s.heap_map_load_percent, 100.0 * 70 / 1048576, 1e-9));
	of = heap_profiler_statistics(p);
	cr_expect(eq(u64, of.total_samples, 102));
	cr_expect(eq(u64, of.heap_map_insertions, 101));
	cr_expect(eq(u64, of.heap_map_deletions, 31));
	cr_expect(eq(u64, of.total_frees_tracked, 30));
	cr_expect(eq(u64, of.missed_frees, 1));
	cr_expect(eq(u64, of.refused_samples, 1));
	cr_expect(eq(u64, of.stackless_samples, 0));
}

Test(heap_profiler, tells_all_statistics_of_the_document)
{
	static const char *const names[] = {
#define X(name, help) #name,
		HEAP_STATISTICS(X)
#undef X
	};
	static const char *const expected[] = {
		"total_samples",	  "total_frees_tracked", "heap_map_collisions",
		"heap_map_insertions",	  "heap_map_deletions",	 "heap_map_full_drops",
		"stack_table_collisions", "bloom_rebuilds",	 "death_during_birth",
		"zombie_races_detected",  "tombstones_recycled", "shallow_stack_warnings",
	};

	for (int i = 0; i < 12; i++)
		cr_expect(eq(str, (char *)names[i], (char *)expected[i]));
	cr_expect(eq(sz, sizeof(struct heap_statistics), sizeof(names) / sizeof(names[0]) * 8));
}

Test(heap_profiler, a_child_has_what_its_parent_has_at_the_fork)
{
	OWNS(heap_profiler) struct heap_profiler *p = profiler_in(HEAP_ACTIVE);

	for (int i = 0; i < 20; i++)
		cr_assert(eq(int, sample(p, 1, i, 10), 0));
	cr_assert(eq(int, sample(p, 3, 0, 10), 0));
	cr_expect(eq(i64, heap_profiler_forked(p, 1, 2, 0), 20));
	cr_expect(eq(int, freed(p, 1, 5), 0));
	cr_expect(eq(int, freed(p, 2, 6), 0));
	cr_expect(eq(u64, stats_of(p).live_samples, 39));
	cr_expect(eq(i64, heap_profiler_ended(p, 2, 0), 19));
	cr_expect(eq(u64, stats_of(p).live_samples, 20));
	cr_expect(eq(u64, heap_profiler_statistics(p).process_frees, 19));
}

Test(heap_profiler, a_snapshot_has_the_health_of_native_stacks)
{
	OWNS(heap_profiler) struct heap_profiler *p = profiler_in(HEAP_ACTIVE);
	struct heap_snapshot s OWNS(heap_snapshot) = { 0 };
	struct buffer why OWNS(buffer) = { 0 };
	struct frame_health health = { 0 };

	frame_health_add(&health, 1);
	frame_health_add(&health, 10);
	cr_assert(eq(int, heap_profiler_add_health(p, &health), 0));
	cr_assert(eq(int, heap_profiler_snapshot(p, 1, &s, &why), 0));
	cr_expect(eq(u64, s.frame_pointer_health.total_native_stacks, 2));
	cr_expect(eq(u64, heap_profiler_statistics(p).shallow_stack_warnings, 1));
}

static void name_all(void *arg, struct stack_table *stacks)
{
	struct frame_table *frames = stack_table_frames(stacks);

	for (uint32_t i = 0; i < frame_table_count(frames); i++)
		frame_table_name(frames, i,
				 &(struct frame_names){ .function = "f", .file = "x.py" });
	++*(int *)arg;
}

Test(heap_profiler, resolves_on_stop_if_told_so)
{
	int times = 0;
	struct heap_settings s = { .sampling_rate = 1, .resolve = name_all, .arg = &times };
	struct buffer why OWNS(buffer) = { 0 };
	struct stack_view view;

	for (int i = 0; i < 2; i++) {
		OWNS(heap_profiler) struct heap_profiler *p = heap_profiler_new();

		s.resolve_on_stop = i;
		cr_assert(eq(int, heap_profiler_init(p, &s, &why), 0));
		cr_assert(eq(int, heap_profiler_start(p, &why), 0));
		cr_assert(eq(int, sample(p, 1, 0, 10), 0));
		cr_assert(eq(int, heap_profiler_stop(p, &why), 0));
		cr_assert(eq(int, heap_profiler_stop(p, &why), 0));
		cr_expect(eq(int, times, i));
		cr_assert(eq(int, stack_table_read(heap_profiler_stacks(p), 0, &view), 0));
		cr_expect(eq(int, view.flags &STACK_RESOLVED, i ? STACK_RESOLVED : 0));
	}
}

Test(heap_profiler, a_sample_without_a_stack_counts_all_the_same)
{
	OWNS(heap_profiler) struct heap_profiler *p = profiler_in(HEAP_ACTIVE);
	struct heap_allocation a = { .address = SOMEWHERE, .size = 10 };

	cr_expect(eq(int, heap_profiler_sample_stack(p, &a, HEAP_NO_STACK), 0));
	cr_expect(eq(u64, heap_profiler_statistics(p).stackless_samples, 1));
	cr_expect(eq(u64, stats_of(p).live_samples, 1));
}

Test(heap_profiler, takes_tombstones_away_when_it_is_stopped)
{
	OWNS(heap_profiler) struct heap_profiler *p = profiler_in(HEAP_ACTIVE);
	struct buffer why OWNS(buffer) = { 0 };

	for (int i = 0; i < 10; i++) {
		cr_assert(eq(int, sample(p, 1, i, 10), 0));
		cr_assert(eq(int, freed(p, 1, i), 0));
	}
	cr_assert(eq(int, heap_profiler_maintain(p), 0));
	cr_expect(eq(u64, heap_profiler_statistics(p).tombstones_cleared, 0));
	cr_assert(eq(int, heap_profiler_stop(p, &why), 0));
	cr_assert(eq(int, heap_profiler_maintain(p), 0));
	cr_expect(eq(u64, heap_profiler_statistics(p).tombstones_cleared, 10));
}
