/* SPDX-License-Identifier: Apache-2.0 */
#include "python/pymalloc_arena.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

#define BASE 0x7f0000000000ull

static const struct pymalloc_sizes small = { 4096, 256 << 10 }, large = { 16384, 1 << 20 },
				   huge = { 16384, 2 << 20 };

struct object {
	uint64_t address, pool_address;
	uint32_t free_pools, pools;
	uint64_t free_list, next, previous;
};

static int decode(const struct object *object, const struct pymalloc_sizes *sizes,
		  struct pymalloc_arena *out)
{
	uint8_t bytes[PYMALLOC_ARENA_OBJECT_BYTES];

	cr_assert(eq(sz, sizeof(bytes), sizeof(*object)));
	memcpy(bytes, object, sizeof(bytes));
	return pymalloc_decode_arena(bytes, sizes, out);
}

Test(pymalloc_arena, pools_begin_at_the_first_aligned_address)
{
	static const struct {
		const struct pymalloc_sizes *sizes;
		struct object object;
		uint64_t first;
		uint32_t count, untouched, free;
	} rows[] = {
		{ &small, { BASE, BASE + 0x3000, 62, 64, BASE + 0x1000, 1, 2 }, BASE, 64, 3, 62 },
		{ &small,
		  { BASE + 0x1000, BASE + 0x1000, 64, 64, 0, 0, 0 },
		  BASE + 0x1000,
		  64,
		  0,
		  64 },
		{ &large, { BASE, BASE + 0x100000, 0, 64, 0, 0, 0 }, BASE, 64, 64, 0 },
		{ &large,
		  { BASE + 0x1000, BASE + 0x8000, 62, 63, 0, 0, 0 },
		  BASE + 0x4000,
		  63,
		  1,
		  62 },
		{ &huge, { BASE, BASE + 0x4000, 127, 128, 0, 0, 0 }, BASE, 128, 1, 127 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pymalloc_arena arena;

		cr_assert(eq(int, decode(&rows[i].object, rows[i].sizes, &arena), 0), "row %zu", i);
		cr_assert(eq(u64, arena.address, rows[i].object.address));
		cr_assert(eq(u64, arena.first_pool, rows[i].first), "row %zu", i);
		cr_assert(eq(u32, arena.pool_count, rows[i].count), "row %zu", i);
		cr_assert(eq(u32, arena.untouched_from, rows[i].untouched), "row %zu", i);
		cr_assert(eq(u32, arena.free_pools, rows[i].free), "row %zu", i);
	}
}

Test(pymalloc_arena, an_entry_that_is_not_in_use_has_none)
{
	struct object object = {
		0, BASE + 1, 99, 7, 3, BASE, 5
	}; /* what is left of its last one */
	struct pymalloc_arena arena;

	cr_assert(eq(int, decode(&object, &large, &arena), -ENOENT));
}

Test(pymalloc_arena, what_contradicts_itself_is_none)
{
	static const struct object rows[] = {
		{ BASE + 8, BASE + 0x4000, 63, 63, 0, 0, 0 },  /* no page begins there */
		{ 1ull << 47, (1ull << 47), 64, 64, 0, 0, 0 }, /* the kernel's memory */
		{ ~0xfffull, 0, 64, 64, 0, 0, 0 },
		{ BASE, BASE + 0x4000, 62, 63, 0, 0, 0 }, /* there is room for another pool */
		{ BASE + 0x1000, BASE + 0x8000, 62, 64, 0, 0, 0 },
		{ BASE, BASE + 0x2000, 63, 64, 0, 0, 0 }, /* within a pool */
		{ BASE, BASE - 0x4000, 64, 64, 0, 0, 0 },
		{ BASE, BASE + 0x104000, 0, 64, 0, 0, 0 },
		{ BASE, BASE + 0x100000, 65, 64, 0, 0, 0 },
		{ BASE, BASE + 0x8000, 60, 64, 0, 0, 0 },	      /* 62 were never given out */
		{ BASE, BASE + 0x8000, 63, 64, BASE + 0x8000, 0, 0 }, /* nor was this one */
		{ BASE, BASE + 0x8000, 63, 64, BASE + 0x10, 0, 0 },
		{ BASE, BASE + 0x8000, 63, 64, BASE - 0x4000, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pymalloc_arena arena;

		cr_assert(eq(int, decode(&rows[i], &large, &arena), -EBADMSG), "row %zu", i);
	}
}

Test(pymalloc_arena, a_pool_may_just_be_taken)
{
	struct object object = { BASE, BASE + 0x8000, 61, 64, 0, 0, 0 };
	struct pymalloc_arena arena;

	cr_assert(eq(int, decode(&object, &large, &arena), 0));
	cr_assert(eq(u32, arena.untouched_from, 2));
}
