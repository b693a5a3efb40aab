/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The array is one malloc'ed block of 16, 32, 64 … entries. An entry without an arena is a link
 * of the list of such: all links lead into the array and one of them ends it. When the array
 * grows no entry is free, so each length was right once: the longest that fits is.
 */
#include "resolve/allocator_arenas.h"

#include "base/cleanup.h"
#include "python/pymalloc_pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ENTRY PYMALLOC_ARENA_OBJECT_BYTES
#define LEAST_ENTRIES 16		      /* INITIAL_ARENA_OBJECTS */
#define MOST_ENTRIES (1u << 18)		      /* 256 GiB of arenas of 1 MiB */
#define MOST_POOLS 4096			      /* of an arena */
#define LARGEST_POOL PYMALLOC_MOST_POOL_BYTES /* whoever reads pools has room for such */
#define SMALLEST_POOL 4096u
#define SMALLEST_SIZE 16 /* of a block; sizes go in such steps */
#define PIECE_ENTRIES 1024

/* The array so far: what must hold of all of its entries. */
struct array {
	uint64_t start;
	uint64_t linked; /* one more than the highest entry that a link leads to */
	uint32_t count, ends;
	bool is_proved;
	struct pymalloc_sizes sizes;
};

static bool is_worse_than_torn(int err)
{
	return err && err != -EFAULT && err != -ENOENT;
}

static bool is_arena(const struct pymalloc_arena_object *e)
{
	return e->address % SMALLEST_POOL == 0 && e->address < PYMALLOC_ADDRESS_END && e->pools &&
	       e->pools <= MOST_POOLS && e->free_pools <= e->pools &&
	       e->pool_address % SMALLEST_POOL == 0 &&
	       e->pool_address - e->address <= (uint64_t)MOST_POOLS * LARGEST_POOL;
}

/* Takes the next entry into @a. False: none of an array. */
static bool take(struct array *a, const struct pymalloc_arena_object *e)
{
	uint64_t link = e->next - a->start;

	a->count++;
	if (e->address)
		return is_arena(e);
	if (!e->next)
		return ++a->ends == 1;
	if (link % ENTRY)
		return false;
	if (link / ENTRY >= a->linked)
		a->linked = link / ENTRY + 1;
	return true;
}

static bool is_power_of_two(uint32_t n)
{
	return n && !(n & (n - 1));
}

/* The size of the pool whose header is @p and which belongs to entry @index; 0: it is none. */
static uint32_t pool_size(const struct pymalloc_pool_head *p, uint32_t index)
{
	uint32_t block = (p->size_index + 1) * SMALLEST_SIZE, size;

	if (p->arena != index || p->size_index >= PYMALLOC_POOL_CLASSES)
		return 0;
	size = p->last_offset + block;
	if (size < SMALLEST_POOL || size > LARGEST_POOL || p->blocks > size / block ||
	    p->next_offset > size)
		return 0;
	return size;
}

/* That the pool at @first belongs to entry @index, which tells the sizes. 0 also if it does not. */
static int prove_with(const struct target_reader *memory, struct array *a, uint64_t first,
		      const struct pymalloc_arena_object *e)
{
	struct pymalloc_arena arena;
	struct pymalloc_sizes sizes;
	struct pymalloc_pool_head pool;
	int err = memory->read(memory->ctx, first, &pool, sizeof(pool));

	if (err)
		return is_worse_than_torn(err) ? err : 0;
	sizes.pool_bytes = pool_size(&pool, a->count - 1);
	if (!sizes.pool_bytes || first % sizes.pool_bytes)
		return 0;
	/* Where an arena begins within a pool there is one pool less. */
	sizes.arena_bytes = (e->pools + (first != e->address)) * sizes.pool_bytes;
	if (!is_power_of_two(sizes.arena_bytes) ||
	    pymalloc_decode_arena((const uint8_t *)e, &sizes, &arena))
		return 0;
	a->sizes = sizes;
	a->is_proved = true;
	return 0;
}

/* Tries whether the last entry, @e, has a pool. 0 also where it has none. */
static int prove(const struct target_reader *memory, struct array *a,
		 const struct pymalloc_arena_object *e)
{
	uint64_t first = e->address;
	int err = 0;

	for (uint32_t size = SMALLEST_POOL; size <= LARGEST_POOL && !err; size *= 2) {
		if (size > SMALLEST_POOL && first % size == 0)
			continue; /* the same place again */
		first = (e->address + size - 1) & ~(size - 1ull);
		if (a->is_proved || first >= e->pool_address)
			break;
		err = prove_with(memory, a, first, e);
	}
	return err;
}

/* Takes the next @count entries. 0; -ENOENT: they are of no array. */
static int take_all(const struct target_reader *memory, struct array *a,
		    const struct pymalloc_arena_object *e, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		int err = take(a, &e[i]) ? 0 : -ENOENT;

		if (!err && e[i].address && !a->is_proved && a->count <= LEAST_ENTRIES)
			err = prove(memory, a, &e[i]);
		if (err)
			return err;
	}
	return 0;
}

/* Reads on up to entry @end. */
static int read_on(const struct target_reader *memory, struct array *a, uint32_t end)
{
	OWNS_MEM struct pymalloc_arena_object *e = malloc(PIECE_ENTRIES * sizeof(*e));

	while (e && a->count < end) {
		uint32_t left = end - a->count, part = left < PIECE_ENTRIES ? left : PIECE_ENTRIES;
		int err = memory->read(memory->ctx, a->start + (uint64_t)a->count * ENTRY, e,
				       part * sizeof(*e));

		if (!err)
			err = take_all(memory, a, e, part);
		if (err)
			return err;
	}
	return e ? 0 : -ENOMEM;
}

int allocator_arenas_check(const struct target_reader *memory, uint64_t arenas,
			   struct arenas_found *out)
{
	struct pymalloc_arena_object first[LEAST_ENTRIES];
	struct array a = { .start = arenas };
	int err = memory->read(memory->ctx, arenas, first, sizeof(first));

	out->count = 0;
	if (!err)
		err = take_all(memory, &a, first, LEAST_ENTRIES);
	while (!err && a.is_proved) {
		if (a.linked <= a.count) {
			out->count = a.count;
			out->sizes = a.sizes;
		}
		err = a.count < MOST_ENTRIES ? read_on(memory, &a, 2 * a.count) : -ENOENT;
	}
	if (is_worse_than_torn(err))
		return err;
	out->arenas = arenas;
	return out->count ? 0 : -ENOENT;
}
