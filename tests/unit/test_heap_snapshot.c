/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/heap_snapshot.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>

#define ROWS 8
#define SOMEWHERE 0x7f0000001000ull
#define RATE 65536

struct heap {
	struct freed_log *log;
	struct heap_map *map;
};

static struct heap heap_new(void)
{
	struct freed_log *log = freed_log_new(ROWS);

	return (struct heap){ log, heap_map_new(256, log) };
}

static void done(struct heap *h)
{
	heap_map_free(h->map);
	freed_log_free(h->log);
}

static void insert(struct heap *h, int number, uint64_t size, uint32_t stack)
{
	struct heap_place place;

	cr_assert(eq(int, heap_map_reserve(h->map, 1, SOMEWHERE + number * 16, 1000, &place), 0));
	cr_assert(eq(int, heap_map_publish(h->map, &place, size, RATE, stack), 0));
}

static void delete (struct heap *h, int number, uint64_t now_ns)
{
	cr_assert(eq(int, heap_map_remove(h->map, 1, SOMEWHERE + number * 16, now_ns), 0));
}

Test(heap_snapshot, has_what_lives_and_the_sum_of_its_weights)
{
	struct heap h = heap_new();
	struct heap_snapshot s OWNS(heap_snapshot) = { 0 };
	uint64_t weights = 0;

	for (int i = 0; i < 100; i++)
		insert(&h, i, 1ull << i % 40, i % 7);
	for (int i = 0; i < 100; i += 4)
		delete (&h, i, 2000);
	cr_assert(eq(int, heap_snapshot_take(h.map, 3000, &s), 0));
	cr_expect(eq(u64, s.live_samples, 75));
	cr_expect(eq(u64, s.total_samples, 100));
	cr_expect(eq(u64, s.timestamp_ns, 3000));
	cr_expect(eq(u64, s.missed + s.unborn, 0));
	for (uint64_t i = 0; i < s.live_samples; i++) {
		struct allocation_sample a = allocation_sample_of(&s.samples[i]);

		cr_expect(ge(u64, a.weight, a.size));
		cr_expect(a.weight > 0);
		cr_expect(eq(u64, a.estimated_bytes, a.weight));
		cr_expect(eq(u64, a.lifetime_ns, 0));
		cr_expect(eq(u64, a.gc_epoch, 0));
		weights += a.weight;
	}
	cr_expect(eq(u64, s.estimated_heap_bytes, weights));
	cr_expect(ieee_ulp_eq(dbl, s.estimate.samples, 75, 1));
	done(&h);
}

Test(heap_snapshot, of_an_empty_map_is_empty)
{
	struct heap h = heap_new();
	struct heap_snapshot s OWNS(heap_snapshot) = { 0 };
	struct heap_allocator top;

	cr_assert(eq(int, heap_snapshot_take(h.map, 1, &s), 0));
	cr_expect(eq(u64, s.live_samples, 0));
	cr_expect(eq(u64, s.estimated_heap_bytes, 0));
	cr_expect(eq(i64, heap_snapshot_top_allocators(&s, &top, 1), 0));
	done(&h);
}

Test(heap_snapshot, ranks_stacks_by_estimated_bytes)
{
	static const struct heap_allocator expected[] = { { 7, 3000000000, 3 },
							  { 2, 1000000000, 1 },
							  { 9, 1000000000, 1 } };
	struct heap h = heap_new();
	struct heap_snapshot s OWNS(heap_snapshot) = { 0 };
	struct heap_allocator top[10];

	insert(&h, 0, 1000000000, 9);
	insert(&h, 1, 1000000000, 2);
	for (int i = 2; i < 5; i++)
		insert(&h, i, 1000000000, 7);
	for (int i = 5; i < 50; i++)
		insert(&h, i, 16, 1);
	cr_assert(eq(int, heap_snapshot_take(h.map, 1, &s), 0));
	cr_expect(eq(i64, heap_snapshot_top_allocators(&s, top, 10), 4));
	cr_assert(eq(i64, heap_snapshot_top_allocators(&s, top, 3), 3));
	for (int i = 0; i < 3; i++) {
		cr_expect(eq(u32, top[i].stack, expected[i].stack));
		cr_expect(eq(u64, top[i].estimated_bytes, expected[i].estimated_bytes));
		cr_expect(eq(u64, top[i].sample_count, expected[i].sample_count));
	}
	done(&h);
}

struct during {
	struct heap *heap;
	int visits, freed;
};

/* Frees what has not been visited yet, or has: both are of the moment. */
static int free_all(void *arg, const struct heap_sample *s)
{
	struct during *d = arg;

	(void)s;
	for (; !d->visits && d->freed < ROWS; d->freed++)
		delete (d->heap, d->freed, 5000);
	d->visits++;
	return 0;
}

Test(heap_snapshot, has_what_is_freed_while_it_is_taken)
{
	struct heap h = heap_new();
	struct during d = { .heap = &h };
	struct heap_walk walk;

	for (int i = 0; i < 2 * ROWS; i++)
		insert(&h, i, 1, 1);
	cr_assert(eq(int, heap_map_visit(h.map, 4000, free_all, &d, &walk), 0));
	cr_expect(eq(int, d.visits, 2 * ROWS));
	cr_expect(eq(u64, walk.missed, 0));
	done(&h);
}

static int free_too_many(void *arg, const struct heap_sample *s)
{
	struct during *d = arg;

	(void)s;
	for (; !d->visits && d->freed < 3 * ROWS; d->freed++)
		delete (d->heap, d->freed, 5000);
	d->visits++;
	return 0;
}

Test(heap_snapshot, says_when_more_was_freed_than_the_log_holds)
{
	struct heap h = heap_new();
	struct during d = { .heap = &h };
	struct heap_walk walk;

	for (int i = 0; i < 4 * ROWS; i++)
		insert(&h, i, 1, 1);
	cr_assert(eq(int, heap_map_visit(h.map, 4000, free_too_many, &d, &walk), 0));
	cr_expect(eq(u64, walk.missed, 2 * ROWS));
	cr_expect(ge(u64, d.visits + walk.missed, 4 * ROWS));
	done(&h);
}

static int stop_at_three(void *arg, const struct heap_sample *s)
{
	int *visits = arg;

	(void)s;
	return ++*visits == 3 ? -ECANCELED : 0;
}

Test(heap_snapshot, a_visitor_may_end_the_walk)
{
	struct heap h = heap_new();
	struct heap_walk walk;
	int visits = 0;

	for (int i = 0; i < 10; i++)
		insert(&h, i, 1, 1);
	cr_expect(eq(int, heap_map_visit(h.map, 1, stop_at_three, &visits, &walk), -ECANCELED));
	cr_expect(eq(int, visits, 3));
	done(&h);
}

Test(heap_snapshot, waits_for_a_birth_only_so_long)
{
	struct heap h = heap_new();
	struct heap_snapshot s OWNS(heap_snapshot) = { 0 };
	struct heap_place place;

	cr_assert(eq(int, heap_map_reserve(h.map, 1, SOMEWHERE, 1, &place), 0));
	cr_assert(eq(int, heap_snapshot_take(h.map, 1, &s), 0));
	cr_expect(eq(u64, s.unborn, 1));
	cr_expect(eq(u64, s.live_samples, 0));
	done(&h);
}

Test(freed_log, tells_lifetimes_of_at_least_a_nanosecond)
{
	struct heap h = heap_new();
	struct freed_row row;

	insert(&h, 3, 10, 4);
	delete (&h, 3, 5000);
	cr_assert(eq(int, freed_log_read(h.log, 0, &row), FREED_ROW));
	cr_expect(eq(u64, allocation_sample_of_freed(&row).lifetime_ns, 4000));
	cr_expect(eq(u64, row.sample.size, 10));
	cr_expect(eq(u64, row.sample.address, SOMEWHERE + 48));
	row = (struct freed_row){ .sample.birth = 5, .death = 5 };
	cr_expect(eq(u64, freed_row_lifetime_ns(&row), 1));
	row.death = 12;
	cr_expect(eq(u64, freed_row_lifetime_ns(&row), 7));
	done(&h);
}

Test(freed_log, keeps_the_latest_and_counts_the_others)
{
	struct heap h = heap_new();
	struct freed_row row;

	for (int i = 0; i < ROWS + 3; i++) {
		insert(&h, i, i + 1, 1);
		delete (&h, i, 1);
	}
	cr_expect(eq(u64, freed_log_next(h.log), ROWS + 3));
	cr_expect(eq(u64, freed_log_overflow(h.log), 3));
	for (int i = 0; i < ROWS + 4; i++)
		cr_expect(eq(int, freed_log_read(h.log, i, &row),
			     i < 3	    ? FREED_GONE
			     : i < ROWS + 3 ? FREED_ROW
					    : FREED_OPEN),
			  "%d", i);
	done(&h);
}

Test(freed_log, a_row_that_is_not_settled_is_not_written_over)
{
	OWNS(freed_log) struct freed_log *log = freed_log_new(2);
	struct freed_row row = { .death = 1 };
	uint64_t open = freed_log_tell(log, &row);

	freed_log_settle(log, freed_log_tell(log, &row), FREED_NOT);
	freed_log_settle(log, freed_log_tell(log, &row), FREED_ROW);
	cr_expect(eq(int, freed_log_read(log, 0, &row), FREED_OPEN));
	cr_expect(eq(int, freed_log_read(log, 1, &row), FREED_NOT));
	cr_expect(eq(int, freed_log_read(log, 2, &row), FREED_OPEN));
	cr_expect(eq(u64, freed_log_overflow(log), 1));
	freed_log_settle(log, open, FREED_ROW);
	cr_expect(eq(int, freed_log_read(log, 0, &row), FREED_ROW));
}
