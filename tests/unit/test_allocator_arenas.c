/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/allocator_arenas.h"

#include "allocator_image.h"

#include "base/cleanup.h"
#include "python/pymalloc_pool.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

#define ENTRY PYMALLOC_ARENA_OBJECT_BYTES
#define ARRAY (AI_HEAP + 16)

/* The array of most tests. */
static const struct allocator_array usual = {
	.at = ARRAY, .entries = 32, .used = 20, .pool_bytes = 16384, .arena_bytes = 1 << 20
};

static int check(struct allocator_image *m, struct arenas_found *found)
{
	struct target_reader memory = allocator_image_reader(m);

	return allocator_arenas_check(&memory, ARRAY, found);
}

static int find(struct allocator_image *m, struct arenas_found *found)
{
	struct target_reader memory = allocator_image_reader(m);

	return allocator_arenas_find(&memory, &m->places, found);
}

static void fill(struct allocator_image *m, uint64_t from, uint64_t even, uint64_t odd)
{
	for (; from < AI_END; from += 16) {
		allocator_image_put(m, from, even);
		allocator_image_put(m, from + 8, odd);
	}
}

Test(allocator_arenas, an_array_ends_where_it_stops_to_fit)
{
	static const uint32_t entries[] = { 16, 32, 64, 128, 1024 };
	/* What lies behind it. */
	static const uint64_t behind[][2] = {
		{ 0, 0 }, { 0x41, 0x20 }, { ~0ull, ~0ull }, { AI_HEAP, AI_HEAP + 16 }
	};

	for (size_t i = 0; i < 5 * 4 * 3; i++) {
		OWNS_MEM struct allocator_image *m = allocator_image_new();
		struct allocator_array a = usual;
		struct arenas_found found;

		a.entries = entries[i % 5];
		a.used = (const uint32_t[]){ 1, a.entries - 1, a.entries }[i / 20];
		fill(m, AI_HEAP, behind[i / 5 % 4][0], behind[i / 5 % 4][1]);
		allocator_image_array(m, &a);
		cr_assert(eq(int, check(m, &found), 0), "row %zu", i);
		cr_assert(eq(u32, found.count, a.entries), "row %zu", i);
		cr_assert(eq(u64, found.arenas, a.at));
	}
}

Test(allocator_arenas, sizes_are_told_by_a_pool)
{
	static const struct {
		uint32_t pool_bytes, arena_bytes;
		uint64_t moved;
	} rows[] = {
		{ 4096, 256 << 10, 0 },	    { 4096, 256 << 10, 0x3000 }, { 16384, 1 << 20, 0 },
		{ 16384, 1 << 20, 0x1000 }, { 16384, 1 << 20, 0x3000 },	 { 16384, 2 << 20, 0 },
		{ 16384, 2 << 20, 0x2000 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		OWNS_MEM struct allocator_image *m = allocator_image_new();
		struct allocator_array a = usual;
		struct arenas_found found;

		a.pool_bytes = rows[i].pool_bytes;
		a.arena_bytes = rows[i].arena_bytes;
		a.moved = rows[i].moved;
		allocator_image_array(m, &a);
		cr_assert(eq(int, check(m, &found), 0), "row %zu", i);
		cr_assert(eq(u32, found.sizes.pool_bytes, a.pool_bytes), "row %zu", i);
		cr_assert(eq(u32, found.sizes.arena_bytes, a.arena_bytes), "row %zu", i);
	}
}

Test(allocator_arenas, pools_that_nobody_could_read_are_none)
{
	OWNS_MEM struct allocator_image *m = allocator_image_new();
	struct allocator_array a = usual;
	struct arenas_found found;

	a.pool_bytes = 2 * PYMALLOC_MOST_POOL_BYTES;
	allocator_image_array(m, &a);
	cr_assert(eq(int, check(m, &found), -ENOENT));
}

Test(allocator_arenas, an_arena_may_have_been_freed)
{
	OWNS_MEM struct allocator_image *m = allocator_image_new();
	struct arenas_found found;

	allocator_image_array(m, &usual);
	allocator_image_put(m, ARRAY, 0); /* its link leads to the list's head */
	allocator_image_put(m, ARRAY + 32, ARRAY + 20 * ENTRY);
	cr_assert(eq(int, check(m, &found), 0));
	cr_assert(eq(u32, found.count, 32));
}

Test(allocator_arenas, one_pool_may_say_nothing)
{
	OWNS_MEM struct allocator_image *m = allocator_image_new();
	struct arenas_found found;

	allocator_image_array(m, &usual);
	memset(m->pages[0], 0xff, 48); /* about to be made */
	cr_assert(eq(int, check(m, &found), 0));
	cr_assert(eq(u32, found.count, 32));
}

Test(allocator_arenas, what_does_not_fit_together_is_none)
{
	static const struct {
		uint32_t offset;
		uint64_t word;
	} rows[] = {
		{ 0, AI_ARENAS + 8 }, /* no page begins there */
		{ 0, 1ull << 47 },
		{ 8, AI_ARENAS + 0x4010 }, /* nor a pool */
		{ 8, AI_ARENAS - 0x4000 },
		{ 8, AI_ARENAS + 0x20000000 },
		{ 16, 63 }, /* of no pools */
		{ 16, 63 | 5000ull << 32 },
		{ 16, 65 | 64ull << 32 }, /* more free ones than there are */
		{ 3 * ENTRY, 0 },	  /* a second end */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		OWNS_MEM struct allocator_image *m = allocator_image_new();
		struct allocator_array a = usual;
		struct arenas_found found;

		a.entries = 16;
		a.used = 12;
		allocator_image_array(m, &a);
		allocator_image_put(m, a.at + 3 * ENTRY + 32, 0);
		cr_assert(eq(int, check(m, &found), 0), "row %zu", i);
		allocator_image_put(m, a.at + rows[i].offset, rows[i].word);
		cr_assert(eq(int, check(m, &found), -ENOENT), "row %zu", i);
	}
}

Test(allocator_arenas, links_lead_into_the_array)
{
	static const uint64_t links[] = {
		1, AI_HEAP, 0x10, ~0ull, ARRAY + 8, ARRAY + 31 * ENTRY + 16, ARRAY + 32 * ENTRY
	};

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		OWNS_MEM struct allocator_image *m = allocator_image_new();
		struct arenas_found found = { .count = 0 };

		allocator_image_array(m, &usual);
		allocator_image_put(m, ARRAY + 25 * ENTRY + 32, links[i]);
		/* The first half, in which no entry is free, would do alone. */
		cr_assert(eq(int, check(m, &found), 0), "row %zu", i);
		cr_assert(eq(u32, found.count, 16), "row %zu", i);
	}
}

Test(allocator_arenas, an_arena_is_in_the_programs_own_memory)
{
	OWNS_MEM struct allocator_image *m = allocator_image_new();
	struct arenas_found found;

	allocator_image_array(m, &usual);
	allocator_image_put(m, ARRAY, 1ull << 47);
	allocator_image_put(m, ARRAY + 8, (1ull << 47) + 0x4000);
	cr_assert(eq(int, check(m, &found), -ENOENT));
}

Test(allocator_arenas, sizes_are_powers_of_two)
{
	OWNS_MEM struct allocator_image *m = allocator_image_new();
	struct arenas_found found;

	allocator_image_array(m, &usual);
	for (uint32_t i = 0; i < usual.used; i++)
		allocator_image_put(m, ARRAY + i * ENTRY + 16, 47 | 48ull << 32);
	cr_assert(eq(int, check(m, &found), -ENOENT));
}

Test(allocator_arenas, without_a_pool_of_its_own_it_is_none)
{
	static const struct {
		uint32_t field, value; /* of the pool's header */
		uint32_t field_2, value_2;
	} rows[] = {
		{ 8, 99, 8, 99 },		/* another arena's */
		{ 9, 32, 11, 16384 - 33 * 16 }, /* no such size */
		{ 9, ~0u, 11, 16384 },
		{ 11, 16384, 11, 16384 }, /* pools of 16,416 bytes */
		{ 11, ~0u, 11, ~0u },
		{ 11, 2048 - 32, 11, 2048 - 32 },
		{ 0, 600, 0, 600 },	  /* more blocks than there is room for */
		{ 10, 17000, 10, 17000 }, /* the next one behind the end */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		OWNS_MEM struct allocator_image *m = allocator_image_new();
		struct arenas_found found;

		allocator_image_array(m, &usual);
		for (uint32_t k = 0; k < usual.used; k++) {
			memcpy(m->pages[k] + rows[i].field * 4, &rows[i].value, 4);
			memcpy(m->pages[k] + rows[i].field_2 * 4, &rows[i].value_2, 4);
		}
		cr_assert(eq(int, check(m, &found), -ENOENT), "row %zu", i);
	}
}

Test(allocator_arenas, pointers_into_the_file_are_not_tried)
{
	OWNS_MEM struct allocator_image *m = allocator_image_new();
	struct arenas_found found;
	uint32_t reads;

	cr_assert(eq(int, find(m, &found), -ENOENT));
	reads = m->reads;
	for (uint64_t at = AI_RUNTIME; at < AI_HEAP; at += 8)
		allocator_image_put(m, at, AI_BASE + at % 0x1000 * 16);
	cr_assert(eq(int, find(m, &found), -ENOENT));
	cr_assert(eq(u32, m->reads, 2 * reads));
}

Test(allocator_arenas, a_variable_that_points_to_them_is_found)
{
	static const uint64_t ats[] = { AI_RUNTIME, AI_RUNTIME + 0x1238, AI_STATICS - 8, AI_STATICS,
					AI_HEAP - 8 };

	for (size_t i = 0; i < sizeof(ats) / sizeof(ats[0]); i++) {
		OWNS_MEM struct allocator_image *m = allocator_image_new();
		struct arenas_found found;

		allocator_image_array(m, &usual);
		allocator_image_put(m, AI_RUNTIME + 0x500, AI_END + 4096); /* nothing is there */
		allocator_image_put(m, AI_RUNTIME + 0x508, ARRAY + ENTRY);
		cr_assert(eq(int, find(m, &found), -ENOENT));
		allocator_image_put(m, ats[i], ARRAY);
		cr_assert(eq(int, find(m, &found), 0), "row %zu", i);
		cr_assert(eq(u64, found.at, ats[i]), "row %zu", i);
		cr_assert(eq(u64, found.arenas, ARRAY));
		cr_assert(eq(u32, found.count, usual.entries));
	}
}

Test(allocator_arenas, arenas_stand_before_usable_arenas)
{
	static const uint64_t ats[] = { AI_RUNTIME + 0x1000, AI_STATICS - 8, AI_STATICS + 0x100 };

	for (size_t i = 0; i < sizeof(ats) / sizeof(ats[0]); i++) {
		OWNS_MEM struct allocator_image *m = allocator_image_new();
		struct arenas_found found;

		allocator_image_array(m, &usual);
		allocator_image_put(m, ats[i], ARRAY);
		allocator_image_put(m, ats[i] + 24, ARRAY);
		cr_assert(eq(int, find(m, &found), 0));
		cr_assert(eq(u64, found.at, ats[i]), "row %zu", i);
	}
}

Test(allocator_arenas, the_search_gives_up)
{
	OWNS_MEM struct allocator_image *m = allocator_image_new();
	struct arenas_found found;
	uint64_t at = AI_RUNTIME;

	/* Everywhere an array of arenas that are not there, each looked for in several places. */
	fill(m, AI_HEAP, 0x100000001000, 0x100000101000);
	for (uint64_t to = AI_HEAP; to < AI_END; to += 16, at += 8)
		allocator_image_put(m, at, to);
	cr_assert(eq(int, find(m, &found), -E2BIG));
	cr_assert(le(u32, m->reads, ALLOCATOR_MOST_READS));
}

Test(allocator_arenas, what_the_reader_says_is_passed_on)
{
	static const int errors[] = { -ESRCH, -EPERM };

	for (size_t i = 0; i < 2; i++) {
		OWNS_MEM struct allocator_image *m = allocator_image_new();
		struct arenas_found found;

		m->fails_with = errors[i];
		cr_assert(eq(int, check(m, &found), errors[i]));
		cr_assert(eq(int, find(m, &found), errors[i]));
		m->fails_with = -EFAULT;
		cr_assert(eq(int, check(m, &found), -ENOENT));
		cr_assert(eq(int, find(m, &found), -ENOENT));
	}
}
