/* SPDX-License-Identifier: Apache-2.0 */
/* Which blocks are surely free by now, by the books of memory that changes or was damaged. */
#include "resolve/heap_liveness.h"

#include "base/cleanup.h"
#include "python/pymalloc_arena.h"
#include "python/pymalloc_pool.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

#define VARIABLE 0x7f0000f00000ull /* points to the array of arenas */
#define ARRAY 0x7f0001000000ull
#define ARENA 0x7f0002000000ull
#define OTHERS 0x7f0003000000ull /* mapped, and of no arena */
#define NOTHING_THERE 0x7f0004000000ull
#define POOL_BYTES 4096u
#define ARENA_BYTES (64 * POOL_BYTES)
#define SIZE 128u
#define TOUCHED 6u /* blocks of a pool that were given out */
#define ENTRIES 4

enum { USED, EMPTY, DAMAGED, BUSY, BUSY_FOR_A_MOMENT, UNREADABLE, POOLS };

struct memory {
	uint64_t arenas; /* what the variable says */
	struct pymalloc_arena_object array[ENTRIES];
	uint8_t pools[POOLS][POOL_BYTES];
	unsigned int reads, changes; /* of pools; how often a busy one did */
};

static uint64_t block_at(uint32_t pool, uint32_t i)
{
	return ARENA + pool * POOL_BYTES + PYMALLOC_POOL_HEAD_BYTES + i * SIZE;
}

/* A block is given out for the first time. */
static void change(struct memory *m, uint64_t pool)
{
	struct pymalloc_pool_head head;

	if (pool != BUSY && (pool != BUSY_FOR_A_MOMENT || m->changes++))
		return;
	memcpy(&head, m->pools[pool], sizeof(head));
	head.blocks++;
	head.next_offset += SIZE;
	memcpy(m->pools[pool], &head, sizeof(head));
}

static int read_memory(void *ctx, uint64_t address, void *dst, size_t len)
{
	struct memory *m = ctx;
	uint64_t pool = (address - ARENA) / POOL_BYTES;

	if (address == VARIABLE)
		memcpy(dst, &m->arenas, len);
	else if (address - ARRAY < sizeof(m->array))
		memcpy(dst, (const uint8_t *)m->array + (address - ARRAY), len);
	else if (address - OTHERS < POOL_BYTES)
		memset(dst, 0, len);
	else if (address < ARENA || pool >= POOLS || pool == UNREADABLE)
		return -EFAULT;
	else {
		memcpy(dst, m->pools[pool], len);
		m->reads += len == POOL_BYTES;
		if (len == POOL_BYTES)
			change(m, pool);
	}
	return 0;
}

/* Of its touched blocks number 1 was freed, and then number 3; they and the rest are free. */
static void fill_pool(struct memory *m, uint32_t number)
{
	uint8_t *bytes = m->pools[number];
	struct pymalloc_pool_head head = { .blocks = TOUCHED - 2,
					   .free_block = block_at(number, 3),
					   .arena = 1,
					   .size_index = SIZE / 16 - 1,
					   .next_offset = PYMALLOC_POOL_HEAD_BYTES + TOUCHED * SIZE,
					   .last_offset = POOL_BYTES - SIZE };
	uint64_t next = block_at(number, 1);

	if (number == EMPTY)
		head.blocks = 0;
	if (number == DAMAGED)
		head.free_block = ARENA;
	memcpy(bytes, &head, sizeof(head));
	memcpy(bytes + PYMALLOC_POOL_HEAD_BYTES + 3 * SIZE, &next, sizeof(next));
}

static struct memory *a_memory(void)
{
	struct memory *m = calloc(1, sizeof(*m));

	m->arenas = ARRAY;
	m->array[1] = (struct pymalloc_arena_object){ .address = ARENA,
						      .pool_address = ARENA + POOLS * POOL_BYTES,
						      .free_pools = 64 - POOLS,
						      .pools = 64 };
	for (uint32_t i = 0; i < POOLS; i++)
		fill_pool(m, i);
	return m;
}

static int look(struct memory *m, struct heap_block *blocks, size_t count)
{
	const struct allocator allocator = { .kind = ALLOCATOR_PYMALLOC,
					     .pool_bytes = POOL_BYTES,
					     .arena_bytes = ARENA_BYTES,
					     .heap_count = 1,
					     .heaps = { { VARIABLE, ARRAY, ENTRIES } } };
	const struct heap_scan_target target = { .allocator = &allocator };
	const struct target_reader memory = { .read = read_memory, .ctx = m };

	return heap_liveness_look(&target, &memory, blocks, count);
}

static bool is_free(struct memory *m, uint64_t address, uint64_t size)
{
	struct heap_block block = { .address = address, .size = size };

	cr_assert(eq(int, look(m, &block, 1), 0));
	return block.is_free;
}

Test(heap_liveness, only_what_is_surely_free_is_said_to_be)
{
	static const struct {
		uint32_t pool, block;
		bool is_free;
	} rows[] = {
		{ USED, 0, false }, { USED, 1, true },	      { USED, 2, false },
		{ USED, 3, true },  { USED, 5, false },	      { USED, TOUCHED, true },
		{ USED, 30, true }, { EMPTY, 0, true },	      { DAMAGED, 1, false },
		{ BUSY, 1, false }, { UNREADABLE, 1, false }, { BUSY_FOR_A_MOMENT, 30, true },
		{ POOLS, 0, true }, { 63, 5, true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		OWNS_MEM struct memory *m = a_memory();

		cr_expect(is_free(m, block_at(rows[i].pool, rows[i].block), SIZE) ==
				  rows[i].is_free,
			  "row %zu", i);
	}
}

Test(heap_liveness, pool_of_another_size_has_none_of_it)
{
	OWNS_MEM struct memory *m = a_memory();
	uint64_t lives = block_at(USED, 2);

	cr_expect(is_free(m, lives, SIZE + 1) == true);
	cr_expect(is_free(m, lives, SIZE - 15) == false);
	/* by a realloc */
	cr_expect(is_free(m, lives, SIZE * 3 / 4 + 1) == false);
	cr_expect(is_free(m, lives, SIZE * 3 / 4) == true);
	cr_expect(is_free(m, lives + 16, SIZE) == true);
	cr_expect(is_free(m, ARENA + 32, SIZE) == true);
	cr_expect(is_free(m, lives, UINT64_MAX) == true);
}

Test(heap_liveness, without_an_arena_what_is_not_mapped_is_free)
{
	OWNS_MEM struct memory *m = a_memory();

	cr_expect(is_free(m, NOTHING_THERE, SIZE) == true);
	cr_expect(is_free(m, OTHERS, SIZE) == false);
	m->array[1].address = 0;
	cr_expect(is_free(m, block_at(USED, 1), SIZE) == false);
	cr_expect(is_free(m, block_at(UNREADABLE, 1), SIZE) == true);
}

Test(heap_liveness, each_pool_is_read_once)
{
	OWNS_MEM struct memory *m = a_memory();
	struct heap_block blocks[] = { { .address = ARENA - ARENA_BYTES, .size = SIZE },
				       { .address = block_at(USED, 0), .size = SIZE },
				       { .address = block_at(USED, 1), .size = SIZE },
				       { .address = block_at(USED, 2), .size = SIZE },
				       { .address = block_at(EMPTY, 2), .size = SIZE },
				       { .address = OTHERS, .size = SIZE } };
	const bool is_free_block[] = { true, false, true, false, true, false };

	cr_assert(eq(int, look(m, blocks, 6), 0));
	cr_expect(eq(uint, m->reads, 2));
	for (size_t i = 0; i < 6; i++)
		cr_expect(blocks[i].is_free == is_free_block[i], "block %zu", i);
}

Test(heap_liveness, no_arena_is_looked_at_twice)
{
	OWNS_MEM struct memory *m = a_memory();
	struct heap_block block = { .address = block_at(USED, 1), .size = SIZE };

	m->array[2] = m->array[3] = m->array[1];
	cr_assert(eq(int, look(m, &block, 1), 0));
	cr_expect(eq(uint, m->reads, 1));
	cr_expect(block.is_free == true);
}

Test(heap_liveness, array_that_moved_says_nothing)
{
	OWNS_MEM struct memory *m = a_memory();
	struct heap_block block = { .address = block_at(USED, 1), .size = SIZE };

	m->arenas = OTHERS;
	cr_assert(eq(int, look(m, &block, 1), -EAGAIN));
}

Test(heap_liveness, who_waits_no_more_and_other_allocators_are_told_so)
{
	const atomic_bool is_cancelled = true;
	struct allocator allocator = { .kind = ALLOCATOR_MIMALLOC };
	const struct heap_scan_target target = { .allocator = &allocator,
						 .is_cancelled = &is_cancelled };
	OWNS_MEM struct memory *m = a_memory();
	const struct target_reader memory = { .read = read_memory, .ctx = m };
	struct heap_block block = { .address = block_at(USED, 1), .size = SIZE };

	cr_assert(eq(int, heap_liveness_look(&target, &memory, &block, 1), -ENOTSUP));
	allocator = (struct allocator){ .kind = ALLOCATOR_PYMALLOC,
					.pool_bytes = POOL_BYTES,
					.arena_bytes = ARENA_BYTES,
					.heap_count = 1,
					.heaps = { { VARIABLE, ARRAY, ENTRIES } } };
	cr_assert(eq(int, heap_liveness_look(&target, &memory, &block, 1), -ECANCELED));
	allocator.pool_bytes = 2 * PYMALLOC_MOST_POOL_BYTES;
	cr_assert(eq(int, heap_liveness_look(&target, &memory, &block, 1), -ENOTSUP));
}
