/* SPDX-License-Identifier: Apache-2.0 */
/* Samples whose frees nobody saw, in a heap of this process's own memory. */
#include "daemon/heap_freed.h"

#include "daemon/heap_tracker.h"
#include "golden.h"
#include "python/pymalloc_arena.h"
#include "python/pymalloc_pool.h"
#include "tests/unit/allocations.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#define SECOND 1000000000ull
#define POOL_BYTES 4096u
#define ARENA_BYTES (2 * POOL_BYTES)
#define SIZE 64u
#define SESSION 3

/* One pool, of whose two blocks that were given out the first is free. */
static struct {
	_Alignas(POOL_BYTES) uint8_t arena[ARENA_BYTES];
	struct pymalloc_arena_object array[1];
	uint64_t arenas;
} heap;

static struct heap_tracker *tracker;
static struct process *program;

static uint64_t address_of(const void *p)
{
	return (uintptr_t)p;
}

static uint64_t block_at(uint32_t i)
{
	return address_of(heap.arena) + PYMALLOC_POOL_HEAD_BYTES + i * SIZE;
}

static void setup(void)
{
	struct pymalloc_pool_head head = { .blocks = 1,
					   .free_block = block_at(0),
					   .size_index = SIZE / 16 - 1,
					   .next_offset = PYMALLOC_POOL_HEAD_BYTES + 2 * SIZE,
					   .last_offset = POOL_BYTES - SIZE };

	memcpy(heap.arena, &head, sizeof(head));
	heap.arenas = address_of(heap.array);
	heap.array[0] =
		(struct pymalloc_arena_object){ .address = address_of(heap.arena),
						.pool_address = address_of(heap.arena) + POOL_BYTES,
						.free_pools = 1,
						.pools = 2 };
	tracker = heap_tracker_new();
	program = a_program(1, 10);
	cr_assert(heap_tracker_begin(tracker, SESSION, HEAP_TIER_TRACE, SECOND) == 0);
	for (uint32_t i = 0; i < 2; i++)
		tell_allocation(tracker,
				an_allocation(SESSION, block_at(i), SIZE, (uint32_t[]){ i + 1, 0 }),
				program);
}

static void teardown(void)
{
	heap_tracker_free(tracker);
	process_unref(program);
}

TestSuite(heap_freed, .init = setup, .fini = teardown);

static int find(struct heap_seen *seen)
{
	const struct allocator allocator = { .kind = ALLOCATOR_PYMALLOC,
					     .pool_bytes = POOL_BYTES,
					     .arena_bytes = ARENA_BYTES,
					     .heap_count = 1,
					     .heaps = { { address_of(&heap.arenas),
							  address_of(heap.array), 1 } } };
	const struct heap_scan_target target = { .pid = getpid(), .allocator = &allocator };

	return heap_seen_find_freed(seen, &target);
}

static json_t *page_of(const struct heap_seen *seen)
{
	json_t *page = json_pack("{s{} s[]}", "coverage", "warnings");

	cr_assert(heap_seen_tell(seen, page) == 0);
	return page;
}

static size_t count_of(const json_t *page, const char *list)
{
	return json_array_size(json_object_get(page, list));
}

static const char *warning(const json_t *page)
{
	const char *text = json_string_value(json_array_get(json_object_get(page, "warnings"), 0));

	return text ? text : "";
}

Test(heap_freed, where_frees_are_missed_what_is_free_is_left_out)
{
	OWNS(heap_seen) struct heap_seen *seen = NULL;
	json_t *page;

	heap_tracker_misses_frees(tracker, SESSION);
	seen = heap_tracker_see(tracker, SESSION, 2 * SECOND);
	cr_assert(find(seen) == 0);
	page = page_of(seen);
	cr_assert(eq(sz, count_of(page, "stacks"), 1));
	cr_expect(eq(sz, count_of(page, "warnings"), 1));
	cr_expect(strstr(warning(page), " 1 found freed ") != NULL, "%s", warning(page));
	json_decref(page);
}

Test(heap_freed, where_all_are_seen_nobody_looks)
{
	OWNS(heap_seen) struct heap_seen *seen = heap_tracker_see(tracker, SESSION, 2 * SECOND);
	json_t *page;

	cr_assert(find(seen) == 0);
	page = page_of(seen);
	cr_expect(eq(sz, count_of(page, "stacks"), 2));
	cr_expect(eq(sz, count_of(page, "warnings"), 0));
	json_decref(page);
}

Test(heap_freed, what_was_sampled_at_the_place_since_then_lives)
{
	OWNS(heap_seen) struct heap_seen *seen = NULL;
	struct sp_alloc *a = an_allocation(SESSION, block_at(0), SIZE, (uint32_t[]){ 7, 0 });
	json_t *page;

	heap_tracker_misses_frees(tracker, SESSION);
	seen = heap_tracker_see(tracker, SESSION, 2 * SECOND);
	cr_assert(find(seen) == 0);
	a->head.time_ns += SECOND;
	tell_allocation(tracker, a, program);
	page = page_of(seen);
	cr_expect(eq(sz, count_of(page, "stacks"), 2));
	json_decref(page);
}

Test(heap_freed, books_that_cannot_be_read_free_nothing_and_it_is_said)
{
	OWNS(heap_seen) struct heap_seen *seen = NULL;
	json_t *page;

	heap_tracker_misses_frees(tracker, SESSION);
	seen = heap_tracker_see(tracker, SESSION, 2 * SECOND);
	heap.arenas++;
	cr_assert(find(seen) == 0);
	page = page_of(seen);
	cr_expect(eq(sz, count_of(page, "stacks"), 2));
	cr_expect(strstr(warning(page), "could not be looked up") != NULL, "%s", warning(page));
	json_decref(page);
}

Test(heap_freed, child_misses_what_its_parent_does)
{
	OWNS(heap_seen) struct heap_seen *seen = NULL;
	json_t *page;

	heap_tracker_misses_frees(tracker, SESSION);
	cr_assert(heap_tracker_forked(tracker, SESSION, SESSION + 1, 2 * SECOND) == 0);
	seen = heap_tracker_see(tracker, SESSION + 1, 2 * SECOND);
	cr_assert(find(seen) == 0);
	page = page_of(seen);
	cr_expect(eq(sz, count_of(page, "stacks"), 1));
	json_decref(page);
}
