/* SPDX-License-Identifier: Apache-2.0 */
/* Scans of an arena in memory that changes, goes away or was damaged. */
#include "resolve/pymalloc_scan.h"

#include "heap_image.h"
#include "python/pymalloc_arena.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

#define ARENAS_AT 0x7f0000f00000ull /* the variable that points to them */
#define ARENAS 0x7f0001000000ull
#define ARENA 0x7f0002000000ull
#define POOL_BYTES 4096u
#define ARENA_BYTES (64 * POOL_BYTES)
#define POOLS 8 /* that were given out */
#define SIZE 64u
#define BLOCKS 63u /* in a pool */
#define ENTRY 3	   /* number of the arena */

/* What happens after the pools were read for the first time. */
enum event {
	NOTHING,
	POOL_CHANGES,
	POOL_IS_MENDED,
	POOLS_VANISH,
	POOLS_VANISH_LATER,
	ARENA_VANISHES,
	ARRAY_MOVES,
	INTERPRETER_ENDS,
	PROCESS_ENDS
};

struct memory {
	struct heap_image image;
	struct target_reader below; /* the image's */
	uint8_t arenas[16][PYMALLOC_ARENA_OBJECT_BYTES];
	uint8_t pools[POOLS][POOL_BYTES];
	enum event event;
	bool has_happened;
	unsigned int reads_of_arenas;
	uint32_t type;
};

static void put32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

static void put64(uint8_t *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
}

static void happen(struct memory *m)
{
	m->has_happened = true;
	if (m->event == POOL_CHANGES)
		put64(m->pools[1] + 8, ARENA + POOL_BYTES + 48);
	if (m->event == POOL_IS_MENDED)
		put32(m->pools[1], BLOCKS);
	if (m->event == ARENA_VANISHES)
		put64(m->arenas[ENTRY], 0);
}

static int read_variable(const struct memory *m, void *dst)
{
	if (m->event == INTERPRETER_ENDS && m->has_happened)
		return -EFAULT;
	put64(dst, m->event == ARRAY_MOVES && m->has_happened ? ARENAS + 4096 : ARENAS);
	return 0;
}

static int read_memory(void *ctx, uint64_t address, void *dst, size_t len)
{
	struct memory *m = ctx;

	if (address == ARENAS_AT)
		return read_variable(m, dst);
	if (address - ARENAS < sizeof(m->arenas)) {
		memcpy(dst, (const uint8_t *)m->arenas + (address - ARENAS), len);
		if (m->event == ARENA_VANISHES && ++m->reads_of_arenas == 2)
			happen(m); /* its range was taken, and it was met a second time */
		return 0;
	}
	if (address - ARENA >= ARENA_BYTES)
		return m->below.read(m->below.ctx, address, dst, len);
	if (m->event == PROCESS_ENDS)
		return -ESRCH;
	if (m->event == POOLS_VANISH || (m->event == POOLS_VANISH_LATER && m->has_happened) ||
	    address - ARENA + len > sizeof(m->pools))
		return -EFAULT;
	memcpy(dst, (const uint8_t *)m->pools + (address - ARENA), len);
	if (!m->has_happened)
		happen(m);
	return 0;
}

/* A full pool of objects. */
static void fill_pool(struct memory *m, uint32_t number)
{
	uint8_t *pool = m->pools[number];

	put32(pool, BLOCKS);
	put32(pool + 32, ENTRY);
	put32(pool + 36, SIZE / 16 - 1);
	put32(pool + 40, 48 + BLOCKS * SIZE);
	put32(pool + 44, POOL_BYTES - SIZE);
	for (uint32_t i = 0; i < BLOCKS; i++) {
		put64(pool + 48 + i * SIZE, 1);
		put64(pool + 48 + i * SIZE + 8, m->type);
	}
}

static struct memory *memory_of(enum event event)
{
	static const struct heap_image_type said = { .name = "T", .basicsize = SIZE };
	struct memory *m = calloc(1, sizeof(*m));
	uint8_t *entry = m->arenas[ENTRY];

	heap_image_begin(&m->image, 11);
	m->below = image_reader(&m->image.image);
	m->type = heap_image_add_type(&m->image, &said);
	m->event = event;
	put64(entry, ARENA);
	put64(entry + 8, ARENA + POOLS * POOL_BYTES);
	put32(entry + 16, 64 - POOLS);
	put32(entry + 20, 64);
	for (uint32_t i = 0; i < POOLS; i++)
		fill_pool(m, i);
	return m;
}

static int scan(struct memory *m, const atomic_bool *is_cancelled, struct heap_census *out)
{
	struct allocator allocator = { .kind = ALLOCATOR_PYMALLOC,
				       .pool_bytes = POOL_BYTES,
				       .arena_bytes = ARENA_BYTES,
				       .heap_count = 1,
				       .heaps = { { ARENAS_AT, ARENAS, 16 } } };
	struct heap_tally_facts facts = { .memory = { .read = read_memory, .ctx = m },
					  .in = &m->image.in };
	struct heap_scan_target target = { .in = facts.in,
					   .allocator = &allocator,
					   .is_cancelled = is_cancelled };
	int err;
	OWNS(heap_tally) struct heap_tally *tally = heap_tally_new(&facts, &err);

	if (!err)
		err = pymalloc_scan(&target, &facts.memory, tally, out);
	return err ? err : heap_tally_finish(tally, out);
}

#define CENSUS(name) __attribute__((cleanup(heap_census_cleanup))) struct heap_census name = { 0 }

Test(pymalloc_scan, counts_what_lives_in_pools_that_were_given_out)
{
	OWNS_MEM struct memory *m = memory_of(NOTHING);
	CENSUS(c);

	put32(m->pools[5], 0); /* a pool that came back */
	put64(m->pools[6] + 8, ARENA + 6 * POOL_BYTES + 48);
	put64(m->pools[6] + 48, 0);
	put32(m->pools[6], BLOCKS - 1);
	cr_assert(eq(int, scan(m, NULL, &c), 0));
	cr_assert(eq(u64, c.arenas, 1));
	cr_assert(eq(u64, c.arena_bytes, ARENA_BYTES));
	cr_assert(eq(u64, c.scanned_bytes, POOLS * POOL_BYTES));
	cr_assert(eq(u64, c.pools, POOLS));
	cr_assert(eq(u64, c.live_blocks, 7 * BLOCKS - 1));
	cr_assert(eq(u64, c.live_bytes, (7 * BLOCKS - 1) * SIZE));
	cr_assert(eq(u64, c.explained_bytes, c.live_bytes));
	cr_assert(eq(u32, c.type_count, 1));
	cr_assert(eq(u64, c.types[0].objects, 7 * BLOCKS - 1));
	cr_assert(eq(u32, c.size_count, 1));
	cr_assert(eq(u32, c.sizes[0].size, SIZE));
	cr_assert(eq(u64, c.sizes[0].pools, 7));
	cr_assert(eq(u64, c.sizes[0].free_blocks, 1));
	cr_assert(eq(u64, c.sizes[0].freed_blocks, 1));
	cr_assert(eq(u32, c.kind_count, 1));
	cr_assert(eq(u64, c.kinds[0].objects, 7 * BLOCKS - 1));
	cr_assert(eq(u32, c.kinds[0].block_bytes, SIZE));
	cr_assert(ieee_ulp_eq(dbl, heap_census_consistency(&c), 1, 1));
}

Test(pymalloc_scan, an_array_that_moved_is_to_be_found_again)
{
	OWNS_MEM struct memory *m = memory_of(ARRAY_MOVES);
	CENSUS(c);

	cr_assert(eq(int, scan(m, NULL, &c), -EAGAIN));
}

Test(pymalloc_scan, an_interpreter_that_ends_takes_its_array_with_it)
{
	OWNS_MEM struct memory *m = memory_of(INTERPRETER_ENDS);
	CENSUS(c);

	cr_assert(eq(int, scan(m, NULL, &c), 0));
}

Test(pymalloc_scan, says_what_changed_and_what_was_damaged_or_went_away)
{
	static const struct {
		enum event event;
		bool is_damaged; /* before */
		uint64_t changed, damaged, unreadable, live_pools;
	} rows[] = {
		{ NOTHING, false, 0, 0, 0, 8 },	       { POOL_CHANGES, false, 1, 0, 0, 8 },
		{ NOTHING, true, 0, 1, 0, 7 },	       { POOL_IS_MENDED, true, 0, 0, 0, 8 },
		{ POOLS_VANISH, false, 0, 0, 8, 0 },   { POOLS_VANISH_LATER, false, 8, 0, 0, 8 },
		{ ARENA_VANISHES, false, 0, 0, 8, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		OWNS_MEM struct memory *m = memory_of(rows[i].event);
		uint64_t bad = rows[i].changed + rows[i].damaged + rows[i].unreadable;
		CENSUS(c);

		if (rows[i].is_damaged)
			put32(m->pools[1], BLOCKS - 1);
		cr_assert(eq(int, scan(m, NULL, &c), 0), "row %zu", i);
		cr_assert(eq(u64, c.pools_changed, rows[i].changed), "row %zu", i);
		cr_assert(eq(u64, c.pools_damaged, rows[i].damaged), "row %zu", i);
		cr_assert(eq(u64, c.pools_unreadable, rows[i].unreadable), "row %zu", i);
		cr_assert(eq(u64, c.live_blocks, rows[i].live_pools * BLOCKS), "row %zu", i);
		cr_assert(ieee_ulp_eq(dbl, heap_census_consistency(&c), 1 - bad / 8.0, 1),
			  "row %zu", i);
	}
}

Test(pymalloc_scan, ends_when_the_process_does_or_nobody_waits)
{
	OWNS_MEM struct memory *ended = memory_of(PROCESS_ENDS);
	OWNS_MEM struct memory *m = memory_of(NOTHING);
	atomic_bool is_cancelled = true;
	CENSUS(c);
	CENSUS(d);

	cr_assert(eq(int, scan(ended, NULL, &c), -ESRCH));
	cr_assert(eq(int, scan(m, &is_cancelled, &d), -ECANCELED));
	cr_assert(eq(u64, d.live_blocks, 0));
}
