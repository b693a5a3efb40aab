/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A block that lives is not on the list of free ones at any time after it was given out, so what
 * is found there later is free. The process runs on: a pool counts only if its head is the same
 * after it was copied.
 */
#include "resolve/heap_liveness.h"

#include "base/cleanup.h"
#include "python/pymalloc_arena.h"
#include "python/pymalloc_pool.h"

#include <errno.h>

#define ALIGNMENT 16
#define ENTRIES_AT_ONCE 1024 /* of the array of arenas */
#define MOST_TRIES 3	     /* of a pool that changes while it is copied */

struct look {
	const struct heap_scan_target *target;
	struct target_reader memory;
	struct pymalloc_sizes sizes;
	struct heap_block *blocks;
	size_t count;
	uint8_t entries[ENTRIES_AT_ONCE][PYMALLOC_ARENA_OBJECT_BYTES];
	uint8_t bytes[PYMALLOC_MOST_POOL_BYTES];
};

static int read_at(const struct look *l, uint64_t address, void *dst, size_t len)
{
	return l->memory.read(l->memory.ctx, address, dst, len);
}

/* The first block at or after @address. */
static size_t first_from(const struct look *l, uint64_t address)
{
	size_t from = 0, to = l->count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (l->blocks[middle].address < address)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* --- pools --- */

/*
 * Whether blocks of @bytes are given for @size. Of larger ones a realloc keeps those of which it
 * uses more than three quarters.
 */
static bool is_for(uint32_t bytes, uint64_t size)
{
	if (size > bytes)
		return false;
	return bytes - size < ALIGNMENT || (!size && bytes == ALIGNMENT) || 4 * size > 3 * bytes;
}

static bool is_free_in(const struct pymalloc_pool *pool, uint64_t pool_at,
		       const struct heap_block *b)
{
	uint64_t offset = b->address - pool_at - PYMALLOC_POOL_HEAD_BYTES;
	uint64_t i = offset / pool->block_bytes;

	if (b->address < pool_at + PYMALLOC_POOL_HEAD_BYTES || offset % pool->block_bytes ||
	    i >= pool->count || !is_for(pool->block_bytes, b->size))
		return true;
	return pool->free_bits[i / 64] >> (i % 64) & 1;
}

/* 0 and *@pool; -ENOENT: no block of it is in use; -EBADMSG: it changes all the time. */
static int read_pool(struct look *l, const struct pymalloc_place *at, struct pymalloc_pool *pool)
{
	uint8_t head[PYMALLOC_POOL_HEAD_BYTES];

	for (int i = 0; i < MOST_TRIES; i++) {
		int said, err = read_at(l, at->address, l->bytes, at->pool_bytes);

		if (err)
			return err;
		said = pymalloc_decode_pool(l->bytes, at, pool);
		err = read_at(l, at->address, head, sizeof(head));
		if (err)
			return err;
		if (said != -EBADMSG && pymalloc_is_same_pool(head, l->bytes))
			return said;
	}
	return -EBADMSG;
}

/* Of what cannot be read or contradicts itself nothing is known. */
static int judge_pool(struct look *l, const struct pymalloc_place *at, size_t first, size_t end)
{
	struct pymalloc_pool pool;
	int err = read_pool(l, at, &pool);

	for (size_t i = first; i < end && (!err || err == -ENOENT); i++)
		l->blocks[i].is_free = err || is_free_in(&pool, at->address, &l->blocks[i]);
	return err == -ENOENT || err == -EBADMSG || err == -EFAULT ? 0 : err;
}

/* --- arenas --- */

/* Marks blocks from @first on up to @to. No two arenas have one: none is looked at twice. */
static size_t find_until(struct look *l, size_t first, uint64_t to)
{
	size_t i = first;

	while (i < l->count && l->blocks[i].address < to && !l->blocks[i].is_found)
		l->blocks[i++].is_found = true;
	return i;
}

static void free_all(struct look *l, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		l->blocks[i].is_free = true;
}

/* Its pools, of which those that were not given out begin at its untouched_from. */
static int judge_arena(struct look *l, const struct pymalloc_arena *arena, uint32_t number)
{
	struct pymalloc_place at = { .pool_bytes = l->sizes.pool_bytes, .arena = number };
	size_t i = first_from(l, arena->first_pool);
	int err = 0;

	for (size_t end; !err && i < l->count; i = end) {
		uint64_t pool = (l->blocks[i].address - arena->first_pool) / at.pool_bytes;

		if (pool >= arena->pool_count)
			break;
		at.address = arena->first_pool + pool * at.pool_bytes;
		end = find_until(l, i, at.address + at.pool_bytes);
		if (end == i)
			break;
		if (pool < arena->untouched_from)
			err = judge_pool(l, &at, i, end);
		else
			free_all(l, i, end);
	}
	return err;
}

static int judge_heap(struct look *l, const struct allocator_heap *heap)
{
	int err = 0;

	for (uint32_t first = 0; !err && first < heap->arena_count; first += ENTRIES_AT_ONCE) {
		uint64_t from = heap->arenas + (uint64_t)first * sizeof(l->entries[0]);
		uint32_t count = heap->arena_count - first;

		if (count > ENTRIES_AT_ONCE)
			count = ENTRIES_AT_ONCE;
		err = read_at(l, from, l->entries, count * sizeof(l->entries[0]));
		for (uint32_t i = 0; !err && i < count; i++) {
			struct pymalloc_arena arena;

			if (heap_scan_is_cancelled(l->target))
				err = -ECANCELED;
			else if (!pymalloc_decode_arena(l->entries[i], &l->sizes, &arena))
				err = judge_arena(l, &arena, first + i);
		}
	}
	return err;
}

/* 0; -EAGAIN: what was read of the array may be what was left of it when it moved. */
static int check_place(const struct look *l, const struct allocator_heap *heap)
{
	uint64_t arenas;
	int err = read_at(l, heap->at, &arenas, sizeof(arenas));

	return !err && arenas != heap->arenas ? -EAGAIN : err;
}

/*
 * An arena that is gone leaves no memory. What is there and in no arena may be the C library's,
 * which a realloc leaves where it is.
 */
static int judge_others(struct look *l)
{
	int err = 0;

	for (size_t i = 0; (!err || err == -EFAULT) && i < l->count; i++) {
		if (l->blocks[i].is_found)
			continue;
		err = read_at(l, l->blocks[i].address, l->bytes, 1);
		l->blocks[i].is_free = err == -EFAULT;
	}
	return err == -EFAULT ? 0 : err;
}

int heap_liveness_look(const struct heap_scan_target *t, const struct target_reader *memory,
		       struct heap_block *blocks, size_t count)
{
	const struct allocator *a = t->allocator;
	OWNS_MEM struct look *l = calloc(1, sizeof(*l));
	int err = 0;

	if (!l)
		return -ENOMEM;
	if (a->kind != ALLOCATOR_PYMALLOC || !a->pool_bytes ||
	    a->pool_bytes > PYMALLOC_MOST_POOL_BYTES)
		return -ENOTSUP;
	l->target = t;
	l->memory = *memory;
	l->sizes = (struct pymalloc_sizes){ a->pool_bytes, a->arena_bytes };
	l->blocks = blocks;
	l->count = count;
	for (unsigned int i = 0; !err && i < a->heap_count; i++) {
		err = judge_heap(l, &a->heaps[i]);
		if (!err)
			err = check_place(l, &a->heaps[i]);
	}
	return err ? err : judge_others(l);
}
