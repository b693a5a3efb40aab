/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pools are copied many at a time, and taken from the copy; then their heads are read again: those
 * that say the same as before did not change meanwhile.
 */
#include "resolve/pymalloc_scan.h"

#include "python/pymalloc_arena.h"
#include "python/pymalloc_pool.h"

#include <errno.h>
#include <string.h>

#define PIECE_BYTES (256u << 10) /* copied at once: a processor's own cache holds it */
#define MOST_POOLS (PIECE_BYTES / 4096)
#define ENTRIES_AT_ONCE 1024 /* of the array of arenas */
#define MOST_TRIES 16	     /* of a pool whose books contradict themselves */

struct scan {
	const struct heap_scan_target *target;
	struct target_reader memory;
	struct heap_tally *tally;
	struct heap_census *out;
	struct pymalloc_sizes sizes;
	struct heap_census_size by_size[PYMALLOC_POOL_CLASSES];
	uint8_t entries[ENTRIES_AT_ONCE][PYMALLOC_ARENA_OBJECT_BYTES];
	struct target_piece pieces[MOST_POOLS];
	uint8_t heads[MOST_POOLS][PYMALLOC_POOL_HEAD_BYTES];
	uint8_t bytes[PIECE_BYTES];
};

/* Pools beside each other, of one arena. */
struct pools {
	uint64_t address; /* of the first */
	uint32_t count;
	uint32_t arena; /* its number */
};

static int read_at(const struct scan *s, uint64_t address, void *dst, size_t len)
{
	return s->memory.read(s->memory.ctx, address, dst, len);
}

/* --- pools --- */

static int add_pool(struct scan *s, const struct pymalloc_pool *pool, uint64_t address,
		    const uint8_t *bytes)
{
	struct heap_census_size *size = &s->by_size[pool->block_bytes / 16 - 1];
	struct heap_blocks blocks = {
		.address = address + PYMALLOC_POOL_HEAD_BYTES,
		.bytes = bytes + PYMALLOC_POOL_HEAD_BYTES,
		.length = s->sizes.pool_bytes - PYMALLOC_POOL_HEAD_BYTES,
		.block_bytes = pool->block_bytes,
		.count = pool->count,
		.free_bits = pool->free_bits,
	};

	size->size = pool->block_bytes;
	size->pools++;
	size->blocks += pool->live;
	size->free_blocks += pool->count - pool->live;
	size->freed_blocks += pool->freed;
	s->out->live_blocks += pool->live;
	s->out->live_bytes += (uint64_t)pool->live * pool->block_bytes;
	return heap_tally_add(s->tally, &blocks);
}

/* A pool that changes while it is copied may contradict itself: then it is copied again. */
static int decode_pool(struct scan *s, const struct pymalloc_place *at, uint8_t *bytes,
		       struct pymalloc_pool *pool)
{
	int err = pymalloc_decode_pool(bytes, at, pool);

	for (int i = 0; err == -EBADMSG && i < MOST_TRIES; i++) {
		err = read_at(s, at->address, bytes, at->pool_bytes);
		if (!err)
			err = pymalloc_decode_pool(bytes, at, pool);
	}
	return err;
}

static int take_pool(struct scan *s, const struct pymalloc_place *at, uint8_t *bytes)
{
	struct pymalloc_pool pool;
	int err = decode_pool(s, at, bytes, &pool);

	switch (err) {
	case 0:
		s->out->pools++;
		return add_pool(s, &pool, at->address, bytes);
	case -ENOENT:
		s->out->pools++;
		return 0;
	case -EBADMSG:
		s->out->pools++;
		s->out->pools_damaged++;
		return 0;
	case -EFAULT:
		s->out->pools_unreadable++;
		return 0;
	default:
		return err;
	}
}

/* Whether the heads are still what was copied. A pool that is gone by now has changed. */
static int compare_heads(struct scan *s, const struct pools *p)
{
	uint64_t step = s->sizes.pool_bytes;
	int err;

	for (uint32_t i = 0; i < p->count; i++)
		s->pieces[i] = (struct target_piece){ .address = p->address + i * step,
						      .dst = s->heads[i],
						      .len = sizeof(s->heads[i]) };
	err = target_read_pieces(&s->memory, s->pieces, p->count);
	for (uint32_t i = 0; !err && i < p->count; i++)
		s->out->pools_changed += s->pieces[i].err ||
					 !pymalloc_is_same_pool(s->heads[i], s->bytes + i * step);
	return err;
}

static int take_pools(struct scan *s, const struct pools *p);

/* Where one of them cannot be read, the others still count. */
static int take_each(struct scan *s, const struct pools *p)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < p->count; i++) {
		struct pools one = *p;

		one.address += (uint64_t)i * s->sizes.pool_bytes;
		one.count = 1;
		err = take_pools(s, &one);
	}
	return err;
}

/* At most as many as a piece has. */
static int take_pools(struct scan *s, const struct pools *p)
{
	struct pymalloc_place at = { .pool_bytes = s->sizes.pool_bytes, .arena = p->arena };
	size_t len = (size_t)p->count * s->sizes.pool_bytes;
	int err = read_at(s, p->address, s->bytes, len);

	if (err == -EFAULT && p->count > 1)
		return take_each(s, p);
	if (err == -EFAULT)
		s->out->pools_unreadable++;
	if (err)
		return err == -EFAULT ? 0 : err;
	s->out->scanned_bytes += len;
	for (uint32_t i = 0; !err && i < p->count; i++) {
		uint64_t offset = (uint64_t)i * s->sizes.pool_bytes;

		at.address = p->address + offset;
		err = take_pool(s, &at, s->bytes + offset);
	}
	return err ? err : compare_heads(s, p);
}

/* --- arenas --- */

/* The arena whose entry is at @entry, if it is still the one that has that number. */
static int take_arena(struct scan *s, const struct pymalloc_arena *known, uint64_t entry,
		      uint32_t number)
{
	uint8_t object[PYMALLOC_ARENA_OBJECT_BYTES];
	struct pymalloc_arena now;
	uint32_t most = PIECE_BYTES / s->sizes.pool_bytes, touched;
	int err = read_at(s, entry, object, sizeof(object));

	if (!err)
		err = pymalloc_decode_arena(object, &s->sizes, &now);
	if (err && err != -EFAULT && err != -ENOENT && err != -EBADMSG)
		return err;
	if (err || now.address != known->address) {
		s->out->pools_unreadable += known->untouched_from;
		return 0;
	}
	s->out->arenas++;
	s->out->arena_bytes += s->sizes.arena_bytes;
	touched = now.untouched_from < now.pool_count ? now.untouched_from : now.pool_count;
	for (uint32_t i = 0; !err && i < touched; i += most) {
		struct pools p = {
			.address = now.first_pool + (uint64_t)i * s->sizes.pool_bytes,
			.count = touched - i < most ? touched - i : most,
			.arena = number,
		};

		err = heap_scan_is_cancelled(s->target) ? -ECANCELED : take_pools(s, &p);
	}
	return err;
}

/* What is done with an arena, and the place and the number of its entry. */
typedef int (*arena_action)(struct scan *s, const struct pymalloc_arena *arena, uint64_t entry,
			    uint32_t number);

static int add_range(struct scan *s, const struct pymalloc_arena *arena, uint64_t entry,
		     uint32_t number)
{
	(void)entry;
	(void)number;
	return heap_tally_add_range(s->tally, arena->address,
				    arena->address + s->sizes.arena_bytes);
}

static int each_entry(struct scan *s, const struct allocator_heap *heap, arena_action action)
{
	int err = 0;

	for (uint32_t first = 0; !err && first < heap->arena_count; first += ENTRIES_AT_ONCE) {
		uint64_t from = heap->arenas + (uint64_t)first * sizeof(s->entries[0]);
		uint32_t count = heap->arena_count - first;

		if (count > ENTRIES_AT_ONCE)
			count = ENTRIES_AT_ONCE;
		err = read_at(s, from, s->entries, count * sizeof(s->entries[0]));
		for (uint32_t i = 0; !err && i < count; i++) {
			struct pymalloc_arena arena;

			if (!pymalloc_decode_arena(s->entries[i], &s->sizes, &arena))
				err = action(s, &arena, from + i * sizeof(s->entries[0]),
					     first + i);
		}
	}
	return err;
}

/* 0; -EAGAIN: what was read of the array may be what was left of it when it moved. */
static int check_place(const struct scan *s, const struct allocator_heap *heap)
{
	uint64_t arenas;
	int err = read_at(s, heap->at, &arenas, sizeof(arenas));

	if (err == -EFAULT)
		return 0; /* its interpreter has ended, and all that was its with it */
	return err ? err : arenas && arenas != heap->arenas ? -EAGAIN : 0;
}

static int each_arena(struct scan *s, arena_action action)
{
	const struct allocator *a = s->target->allocator;
	int err = 0;

	for (unsigned int i = 0; !err && i < a->heap_count; i++) {
		err = each_entry(s, &a->heaps[i], action);
		if (!err || err == -EFAULT)
			err = check_place(s, &a->heaps[i]);
	}
	return err;
}

static int sum_sizes(struct scan *s)
{
	int err = 0;

	for (size_t i = 0; !err && i < PYMALLOC_POOL_CLASSES; i++)
		if (s->by_size[i].pools)
			err = heap_census_add_size(s->out, &s->by_size[i]);
	return err;
}

int pymalloc_scan(const struct heap_scan_target *t, const struct target_reader *memory,
		  struct heap_tally *tally, struct heap_census *out)
{
	OWNS_MEM struct scan *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	s->target = t;
	s->memory = *memory;
	s->tally = tally;
	s->out = out;
	s->sizes = (struct pymalloc_sizes){ t->allocator->pool_bytes, t->allocator->arena_bytes };
	err = each_arena(s, add_range);
	if (!err)
		err = each_arena(s, take_arena);
	return err ? err : sum_sizes(s);
}
