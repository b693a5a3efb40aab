/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/heap_map.h"

#include "heap/freed_log.h"
#include "heap/heap_map_parts.h"
#include "heap/heap_walk.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>

#define ROWS 64
#define SOMEWHERE 0x7f0000001000ull

static struct freed_log *freed;

static struct heap_map *map_of(uint32_t capacity)
{
	freed = freed_log_new(ROWS);
	return heap_map_new(capacity, freed);
}

static void done(struct heap_map *m)
{
	heap_map_free(m);
	freed_log_free(freed);
}

static int insert(struct heap_map *m, uint16_t process, uint64_t address, uint64_t size)
{
	struct heap_place place;
	int err = heap_map_reserve(m, process, address, 1000, &place);

	return err ? err : heap_map_publish(m, &place, size, 512, 3);
}

static uint64_t count(const struct heap_map *m, enum heap_map_count which)
{
	return heap_map_counts(m).of[which];
}

static uint64_t live(const struct heap_map *m)
{
	struct heap_map_counts c = heap_map_counts(m);

	cr_expect(eq(u64, c.of[HEAP_MAP_SAMPLES],
		     heap_map_live(&c) + heap_map_freed(&c) + heap_map_lost(&c)));
	return heap_map_live(&c);
}

Test(heap_map, has_a_million_entries_of_32_bytes)
{
	struct heap_map *m = map_of(HEAP_MAP_CAPACITY);

	cr_expect(eq(u32, heap_map_capacity(m), 1048576));
	cr_expect(eq(sz, sizeof(struct heap_entry), 32));
	done(m);
}

Test(heap_map, keeps_what_a_sample_is)
{
	static const struct heap_sample rows[] = {
		{ .address = 16, .size = 1, .process = 0, .rate = 1, .stack = 0 },
		{ .address = SOMEWHERE,
		  .size = 1 << 20,
		  .process = 1,
		  .rate = 1 << 20,
		  .stack = 65535 },
		{ .address = SOMEWHERE, .size = (1 << 24) - 1, .process = 2, .rate = 1 << 24 },
		{ .address = SOMEWHERE, .size = 1 << 24, .process = 3, .rate = UINT32_MAX },
		{ .address = SOMEWHERE,
		  .size = (1 << 24) + 1,
		  .process = 4,
		  .stack = HEAP_NO_STACK },
		{ .address = SOMEWHERE, .size = 800000000, .process = 5 },
		{ .address = (1ull << 47) - 16, .size = UINT64_MAX, .process = 65535 },
	};
	struct heap_map *m = map_of(64);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct heap_sample *row = &rows[i];
		struct heap_place place;
		struct heap_sample s;

		cr_assert(
			eq(int, heap_map_reserve(m, row->process, row->address, 1000, &place), 0));
		cr_assert(eq(int, heap_map_find(m, row->process, row->address, &s), -ENOENT));
		cr_assert(
			eq(int, heap_map_publish(m, &place, row->size, row->rate, row->stack), 0));
		cr_assert(eq(int, heap_map_find(m, row->process, row->address, &s), 0));
		cr_expect(eq(u64, s.address, row->address));
		cr_expect(eq(u64, s.size, row->size));
		cr_expect(eq(u32, s.rate, row->rate));
		cr_expect(eq(u32, s.stack, row->stack));
		cr_expect(eq(u16, s.process, row->process));
		cr_expect(eq(u64, s.birth, 1000 + i));
	}
	cr_expect(eq(u64, live(m), sizeof(rows) / sizeof(rows[0])));
	done(m);
}

Test(heap_map, refuses_and_counts_what_is_no_pointer)
{
	static const uint64_t rows[] = { 0, 8, 17, 1ull << 47, UINT64_MAX, UINT64_MAX - 15 };
	struct heap_map *m = map_of(64);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cr_expect(eq(int, insert(m, 65535, rows[i], 1), -EINVAL), "%lx", rows[i]);
		cr_expect(eq(int, heap_map_remove(m, 65535, rows[i], 0), -ENOENT), "%lx", rows[i]);
	}
	cr_expect(eq(u64, count(m, HEAP_MAP_REFUSED), sizeof(rows) / sizeof(rows[0])));
	cr_expect(eq(u64, live(m), 0));
	done(m);
}

Test(heap_map, one_pointer_of_two_processes_is_two)
{
	struct heap_map *m = map_of(64);
	struct heap_sample s;

	cr_assert(eq(int, insert(m, 1, SOMEWHERE, 10), 0));
	cr_assert(eq(int, insert(m, 2, SOMEWHERE, 20), 0));
	cr_assert(eq(int, heap_map_remove(m, 1, SOMEWHERE, 0), 0));
	cr_expect(eq(int, heap_map_find(m, 1, SOMEWHERE, &s), -ENOENT));
	cr_assert(eq(int, heap_map_find(m, 2, SOMEWHERE, &s), 0));
	cr_expect(eq(u64, s.size, 20));
	cr_expect(eq(u64, live(m), 1));
	done(m);
}

Test(heap_map, a_pointer_that_is_allocated_again_was_freed_unseen)
{
	struct heap_map *m = map_of(64);
	struct heap_sample s;

	cr_assert(eq(int, insert(m, 1, SOMEWHERE, 10), 0));
	cr_assert(eq(int, insert(m, 1, SOMEWHERE, 20), 0));
	cr_assert(eq(int, heap_map_find(m, 1, SOMEWHERE, &s), 0));
	cr_expect(eq(u64, s.size, 20));
	cr_expect(eq(u64, count(m, HEAP_MAP_MISSED_FREES), 1));
	cr_expect(eq(u64, live(m), 1));
	done(m);
}

Test(heap_map, a_free_during_the_birth_wins)
{
	struct heap_map *m = map_of(64);
	struct heap_place place;
	struct heap_sample s;

	cr_assert(eq(int, heap_map_reserve(m, 1, SOMEWHERE, 0, &place), 0));
	cr_expect(eq(int, heap_map_remove(m, 1, SOMEWHERE, 0), -ECANCELED));
	cr_expect(eq(int, heap_map_publish(m, &place, 1, 1, 1), -ECANCELED));
	cr_expect(eq(int, heap_map_find(m, 1, SOMEWHERE, &s), -ENOENT));
	cr_expect(eq(u64, count(m, HEAP_MAP_DEATHS_DURING_BIRTH), 1));
	cr_expect(eq(u64, live(m), 0));
	done(m);
}

/* Else its publisher would write into another one's entry. */
Test(heap_map, the_place_of_who_died_at_birth_is_free_when_its_publisher_has_noticed)
{
	struct heap_map *m = map_of(2);
	struct heap_place dead;

	cr_assert(eq(int, insert(m, 1, SOMEWHERE, 1), 0));
	cr_assert(eq(int, heap_map_reserve(m, 1, SOMEWHERE + 16, 0, &dead), 0));
	cr_assert(eq(int, heap_map_remove(m, 1, SOMEWHERE + 16, 0), -ECANCELED));
	cr_expect(eq(int, insert(m, 1, SOMEWHERE + 32, 1), -ENOSPC));
	cr_assert(eq(int, heap_map_publish(m, &dead, 1, 1, 1), -ECANCELED));
	cr_expect(eq(int, insert(m, 1, SOMEWHERE + 32, 1), 0));
	done(m);
}

Test(heap_map, a_free_that_began_before_the_birth_ends_nothing)
{
	struct heap_map *m = map_of(64);
	struct heap_place place;
	struct heap_sample s;

	cr_assert(eq(int, heap_map_reserve(m, 1, SOMEWHERE, 0, &place), 0));
	cr_assert(eq(int, heap_map_publish(m, &place, 1, 1, 1), 0));
	cr_expect(eq(int,
		     heap_map_end(m, place.slot, place.key & ~HEAP_RESERVED, place.birth - 1,
				  HEAP_MAP_FREES),
		     -ESTALE));
	cr_expect(eq(int, heap_map_find(m, 1, SOMEWHERE, &s), 0));
	done(m);
}

Test(heap_map, a_full_one_drops_counts_and_goes_on)
{
	struct heap_map *m = map_of(HEAP_MAP_PROBES);

	for (uint64_t i = 0; i < HEAP_MAP_PROBES; i++)
		cr_assert(eq(int, insert(m, 1, SOMEWHERE + i * 16, 1), 0), "%lu", i);
	cr_expect(eq(int, insert(m, 2, SOMEWHERE, 1), -ENOSPC));
	cr_expect(eq(u64, count(m, HEAP_MAP_FULL_DROPS), 1));
	cr_expect(eq(u64, live(m), HEAP_MAP_PROBES));
	cr_assert(eq(int, heap_map_remove(m, 1, SOMEWHERE + 16, 0), 0));
	cr_expect(eq(int, insert(m, 2, SOMEWHERE, 1), 0));
	cr_expect(eq(u64, count(m, HEAP_MAP_TOMBSTONES_RECYCLED), 1));
	done(m);
}

Test(heap_map, takes_nine_tenths_of_its_entries_without_a_drop)
{
	struct heap_map *m = map_of(1 << 14);

	for (uint64_t i = 0; i < (1 << 14) * 9 / 10; i++)
		cr_assert(eq(int, insert(m, i % 3, SOMEWHERE + i * 48, 1), 0), "%lu", i);
	done(m);
}

/* In use, only tombstones are taken again; half of it lives all the time. */
Test(heap_map, is_as_good_after_its_capacity_was_used_many_times)
{
	struct heap_map *m = map_of(256);
	struct heap_sample s;

	for (uint64_t i = 0; i < 20 * 256; i++) {
		cr_assert(eq(int, insert(m, 1, SOMEWHERE + i * 16, i + 1), 0), "%lu", i);
		if (i >= 128)
			cr_assert(eq(int, heap_map_remove(m, 1, SOMEWHERE + (i - 128) * 16, 0), 0));
	}
	cr_expect(eq(u64, live(m), 128));
	for (uint64_t i = 20 * 256 - 128; i < 20 * 256; i++)
		cr_assert(eq(int, heap_map_find(m, 1, SOMEWHERE + i * 16, &s), 0));
	/* The first of all may each have taken an empty place. */
	cr_expect(ge(u64, count(m, HEAP_MAP_TOMBSTONES_RECYCLED), 19 * 256));
	done(m);
}

static int tombstones(const struct heap_map *m)
{
	int found = 0;

	for (uint32_t i = 0; i < m->capacity; i++)
		found += heap_is_tombstone(m->entries[i].key);
	return found;
}

Test(heap_map, compaction_leaves_what_lives_where_it_is_found)
{
	struct heap_map *m = map_of(1024);
	struct heap_sample s;
	int before;

	for (uint64_t i = 0; i < 900; i++)
		cr_assert(eq(int, insert(m, 1, SOMEWHERE + i * 16, 1), 0));
	for (uint64_t i = 0; i < 900; i += 2)
		cr_assert(eq(int, heap_map_remove(m, 1, SOMEWHERE + i * 16, 0), 0));
	before = tombstones(m);
	cr_expect(eq(int, before, 450));
	cr_expect(eq(i64, heap_map_compact(m), before - tombstones(m)));
	cr_expect(lt(int, tombstones(m), before));
	for (uint64_t i = 1; i < 900; i += 2)
		cr_assert(eq(int, heap_map_find(m, 1, SOMEWHERE + i * 16, &s), 0), "%lu", i);
	for (uint64_t i = 1; i < 900; i += 2)
		cr_assert(eq(int, heap_map_remove(m, 1, SOMEWHERE + i * 16, 0), 0), "%lu", i);
	heap_map_compact(m);
	cr_expect(eq(int, tombstones(m), 0));
	cr_expect(eq(u64, live(m), 0));
	done(m);
}

Test(heap_map, sequence_numbers_rise_where_the_clock_does_not)
{
	struct heap_map *m = map_of(64);

	cr_expect(eq(u64, heap_map_sequence(m, 500), 500));
	cr_expect(eq(u64, heap_map_sequence(m, 500), 501));
	cr_expect(eq(u64, heap_map_sequence(m, 400), 502));
	cr_expect(eq(u64, heap_map_sequence(m, 600), 600));
	done(m);
}

Test(heap_map, a_process_that_ends_takes_its_own_with_it)
{
	struct heap_map *m = map_of(256);
	struct heap_sample s;

	for (uint64_t i = 0; i < 60; i++)
		cr_assert(eq(int, insert(m, i % 2, SOMEWHERE + i * 16, 1), 0));
	cr_expect(eq(u64, heap_map_drop_process(m, 1, 0), 30));
	cr_expect(eq(u64, count(m, HEAP_MAP_ENDED), 30));
	cr_expect(eq(u64, live(m), 30));
	for (uint64_t i = 0; i < 60; i++)
		cr_assert(eq(int, heap_map_find(m, i % 2, SOMEWHERE + i * 16, &s),
			     i % 2 ? -ENOENT : 0));
	done(m);
}
