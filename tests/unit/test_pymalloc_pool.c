/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of pymalloc, made and then damaged. */
#include "python/pymalloc_pool.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

#define ADDRESS 0x7f0000004000ull
#define ARENA 5
#define MOST_LISTED 8

struct page {
	struct pymalloc_place at;
	uint8_t bytes[PYMALLOC_MOST_POOL_BYTES];
};

static void put32(struct page *p, size_t offset, uint32_t value)
{
	memcpy(p->bytes + offset, &value, sizeof(value));
}

static void put64(struct page *p, size_t offset, uint64_t value)
{
	memcpy(p->bytes + offset, &value, sizeof(value));
}

/* A pool of blocks of @size, @touched of which were given out once. */
static void make(struct page *p, uint32_t pool_bytes, uint32_t size, uint32_t touched)
{
	memset(p, 0, sizeof(*p));
	p->at = (struct pymalloc_place){ ADDRESS, pool_bytes, ARENA };
	put32(p, 0, touched);
	put32(p, 32, ARENA);
	put32(p, 36, size / 16 - 1);
	put32(p, 40, 48 + touched * size);
	put32(p, 44, pool_bytes - size);
}

/* Puts the blocks on the list of free ones, in that order. */
static void list(struct page *p, const uint32_t *blocks, size_t count)
{
	uint32_t size, live;
	size_t at = 8;

	memcpy(&size, p->bytes + 36, sizeof(size));
	memcpy(&live, p->bytes, sizeof(live));
	size = (size + 1) * 16;
	for (size_t i = 0; i < count; i++) {
		put64(p, at, ADDRESS + 48 + blocks[i] * size);
		at = 48 + blocks[i] * size;
	}
	put64(p, at, 0);
	put32(p, 0, live - count);
}

static bool is_free(const struct pymalloc_pool *pool, uint32_t block)
{
	return pool->free_bits[block / 64] >> (block % 64) & 1;
}

Test(pymalloc_pool, has_as_many_blocks_as_fit)
{
	static const struct {
		uint32_t pool_bytes, size, count;
	} rows[] = {
		{ 4096, 16, 253 },   { 4096, 48, 84 },	 { 4096, 512, 7 },
		{ 16384, 16, 1021 }, { 16384, 64, 255 }, { 16384, 512, 31 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pymalloc_pool pool;
		struct page p;

		make(&p, rows[i].pool_bytes, rows[i].size, rows[i].count);
		cr_assert(eq(int, pymalloc_decode_pool(p.bytes, &p.at, &pool), 0));
		cr_assert(eq(u32, pool.count, rows[i].count));
		cr_assert(eq(u32, pool.live, rows[i].count));
		cr_assert(eq(u32, pool.block_bytes, rows[i].size));
		for (uint32_t j = 0; j < pool.count; j++)
			cr_assert(eq(int, is_free(&pool, j), 0));
	}
}

Test(pymalloc_pool, blocks_on_its_list_are_free_and_so_are_those_never_given_out)
{
	static const uint32_t freed[] = { 7, 0, 9, 3 };
	struct pymalloc_pool pool;
	struct page p;
	uint32_t live = 0;

	make(&p, 16384, 64, 10);
	list(&p, freed, 4);
	cr_assert(eq(int, pymalloc_decode_pool(p.bytes, &p.at, &pool), 0));
	cr_assert(eq(u32, pool.live, 6));
	for (uint32_t i = 0; i < pool.count; i++)
		live += !is_free(&pool, i);
	cr_assert(eq(u32, live, 6));
	for (size_t i = 0; i < 4; i++)
		cr_assert(is_free(&pool, freed[i]));
	cr_assert(is_free(&pool, 10));
	cr_assert(is_free(&pool, 254));
}

/* The list of a pool that has given out all but some ends in the next one of those. */
Test(pymalloc_pool, freed_blocks_were_given_out_before)
{
	static const struct {
		uint32_t touched, listed[3], count, freed;
	} rows[] = {
		{ 10, { 9 }, 1, 0 },	   { 10, { 3, 9 }, 2, 1 },	 { 10, { 7, 0, 9 }, 3, 2 },
		{ 255, { 0 }, 0, 0 },	   { 255, { 254 }, 1, 0 },	 { 255, { 254, 3 }, 2, 2 },
		{ 255, { 3, 254 }, 2, 1 }, { 255, { 7, 254, 3 }, 3, 3 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pymalloc_pool pool;
		struct page p;

		make(&p, 16384, 64, rows[i].touched);
		list(&p, rows[i].listed, rows[i].count);
		cr_assert(eq(int, pymalloc_decode_pool(p.bytes, &p.at, &pool), 0));
		cr_assert(eq(u32, pool.freed, rows[i].freed), "row %zu", i);
	}
}

Test(pymalloc_pool, may_be_in_the_middle_of_giving_out_a_block)
{
	static const uint32_t freed[] = { 1, 2, 3 };
	struct pymalloc_pool pool;
	struct page p;

	make(&p, 16384, 64, 10);
	list(&p, freed, 3);
	put32(&p, 0, 8); /* of ten, three are on the list */
	cr_assert(eq(int, pymalloc_decode_pool(p.bytes, &p.at, &pool), 0));
	cr_assert(eq(u32, pool.live, 7));
}

Test(pymalloc_pool, is_none_where_there_is_no_room_for_its_blocks)
{
	struct pymalloc_pool pool;
	struct page p;

	make(&p, 2 * PYMALLOC_MOST_POOL_BYTES, 16, 10);
	cr_assert(eq(int, pymalloc_decode_pool(p.bytes, &p.at, &pool), -EBADMSG));
}

Test(pymalloc_pool, without_live_blocks_is_not_in_use)
{
	struct pymalloc_pool pool;
	struct page p;

	make(&p, 4096, 32, 20);
	put32(&p, 0, 0);
	cr_assert(eq(int, pymalloc_decode_pool(p.bytes, &p.at, &pool), -ENOENT));
}

Test(pymalloc_pool, whose_numbers_contradict_each_other_is_damaged)
{
	static const struct {
		size_t offset;
		uint32_t value;
	} rows[] = {
		{ 0, 9 },	    /* one fewer live */
		{ 0, 12 },	    /* two more */
		{ 0, 0x80000000u }, /* far more */
		{ 32, ARENA + 1 },  /* another arena's */
		{ 36, 32 },	    /* no size class */
		{ 36, 0xffff },	    /* not given out yet */
		{ 36, 4 },	    /* another size than maxnextoffset says */
		{ 40, 0 },	    /* begins in its own head */
		{ 40, 48 + 63 },    /* within a block */
		{ 40, 0xfffffff0u },
		{ 44, 16384 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pymalloc_pool pool;
		struct page p;

		make(&p, 16384, 64, 10);
		put32(&p, rows[i].offset, rows[i].value);
		cr_assert(eq(int, pymalloc_decode_pool(p.bytes, &p.at, &pool), -EBADMSG), "row %zu",
			  i);
	}
}

Test(pymalloc_pool, list_may_not_leave_it_or_loop)
{
	static const uint32_t freed[] = { 1, 2, 3 };
	static const uint64_t links[] = {
		ADDRESS + 48 + 64,	    /* the first of the list again */
		ADDRESS + 48 + 3 * 64,	    /* itself */
		ADDRESS + 48 + 10 * 64,	    /* never given out */
		ADDRESS + 48 + 5 * 64 + 16, /* within a block */
		ADDRESS + 40,		    /* its head */
		ADDRESS - 64,
		ADDRESS + 16384 + 48,
		1,
		~0ull,
	};

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		struct pymalloc_pool pool;
		struct page p;

		make(&p, 16384, 64, 10);
		list(&p, freed, 3);
		cr_assert(eq(int, pymalloc_decode_pool(p.bytes, &p.at, &pool), 0));
		put64(&p, 48 + 3 * 64, links[i]);
		put32(&p, 0, 6); /* as if it were one more that is free */
		cr_assert(eq(int, pymalloc_decode_pool(p.bytes, &p.at, &pool), -EBADMSG), "row %zu",
			  i);
	}
}

Test(pymalloc_pool, has_changed_if_its_blocks_have_and_not_if_its_neighbours_have)
{
	static const struct {
		size_t offset;
		bool is_same;
	} rows[] = {
		{ 0, false }, { 8, false },  { 16, true },
		{ 24, true }, { 36, false }, { 40, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct page before, after;

		make(&before, 4096, 64, 10);
		after = before;
		cr_assert(pymalloc_is_same_pool(before.bytes, after.bytes));
		after.bytes[rows[i].offset] ^= 16;
		cr_assert(
			eq(int, pymalloc_is_same_pool(before.bytes, after.bytes), rows[i].is_same),
			"row %zu", i);
	}
}
