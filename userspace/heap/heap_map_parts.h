/* SPDX-License-Identifier: Apache-2.0 */
/* What the heap map is made of, for the files that walk it. */
#ifndef SPPROF_HEAP_MAP_PARTS_H
#define SPPROF_HEAP_MAP_PARTS_H

#include "heap/freed_log.h"
#include "heap/heap_map.h"
#include "heap/heap_steps.h"

#include <pthread.h>
#include <stdbool.h>

/*
 * A key is the state and the whole identity of an entry in one word: process in bits 48..63, 0,
 * pointer in bits 4..46; a pointer's lower bits are 0, so they hold the place's generation in
 * bits 1..3 and HEAP_RESERVED in bit 0. The generation tells apart two lives of one pointer in
 * one place: a free that looked at the first cannot end the second.
 */
#define HEAP_EMPTY 0ull
#define HEAP_RESERVED 1ull
#define HEAP_TOMBSTONE (~0xfull | HEAP_RESERVED) /* with the generation that died */
#define HEAP_GENERATIONS 8u
#define HEAP_IDENTITY (~0xfull)

#define HEAP_ADDRESS_MASK ((1ull << 47) - 16)

struct heap_entry {
	_Atomic uint64_t key;
	_Atomic uint32_t stack, rate;
	_Atomic uint64_t size;
	_Atomic uint64_t stamp; /* birth and generation: written last, so it vouches for the rest */
};
_Static_assert(sizeof(struct heap_entry) == 32, "two of them in a line of the cache");

struct heap_map {
	struct heap_entry *entries;
	uint32_t capacity;
	struct freed_log *log;
	pthread_mutex_t walk; /* one at a time: snapshots, the end of processes, compaction */

	_Alignas(64) _Atomic uint64_t sequence;
	_Alignas(64) _Atomic uint64_t epoch;
	_Atomic uint64_t busy[2]; /* removals under way that began in an even, an odd epoch */
	_Alignas(64) _Atomic uint64_t count[HEAP_MAP_COUNT_MAX];
};

static inline uint64_t heap_generation(uint64_t key)
{
	return key >> 1 & (HEAP_GENERATIONS - 1);
}

static inline bool heap_is_tombstone(uint64_t key)
{
	return (key & HEAP_IDENTITY) == (HEAP_TOMBSTONE & HEAP_IDENTITY);
}

static inline bool heap_is_reserved(uint64_t key)
{
	return (key & HEAP_RESERVED) && !heap_is_tombstone(key);
}

static inline bool heap_is_occupied(uint64_t key)
{
	return key && !(key & HEAP_RESERVED);
}

static inline uint64_t heap_tombstone_of(uint64_t key)
{
	return HEAP_TOMBSTONE | heap_generation(key) << 1;
}

static inline uint64_t heap_stamp(uint64_t birth, uint64_t key)
{
	return birth << 3 | heap_generation(key);
}

static inline uint16_t heap_process(uint64_t key)
{
	return key >> 48;
}

static inline void heap_count(struct heap_map *m, enum heap_map_count which)
{
	atomic_fetch_add_explicit(&m->count[which], 1, memory_order_relaxed);
}

/* Every bit of an identity moves the upper half (the finalizer of MurmurHash3). */
static inline uint32_t heap_home(const struct heap_map *m, uint64_t identity)
{
	uint64_t h = identity ^ identity >> 33;

	h *= 0xff51afd7ed558ccd;
	h ^= h >> 33;
	h *= 0xc4ceb9fe1a85ec53;
	return (h >> 32) * (m->capacity / 2) >> 32;
}

/*
 * Both places of a line of the cache, then those 1, 3, 6, 10 ... lines on: each line once. Longer
 * rows would be faster to look at, but full earlier: at 90 % load rows of 16 drop 3 in 10,000.
 */
static inline uint32_t heap_slot(const struct heap_map *m, uint32_t home, uint32_t i)
{
	uint32_t jump = i / 2;
	uint32_t line = (home + jump * (jump + 1) / 2) & (m->capacity / 2 - 1);

	return line * 2 + i % 2;
}

static inline uint32_t heap_probes(const struct heap_map *m)
{
	return m->capacity < HEAP_MAP_PROBES ? m->capacity : HEAP_MAP_PROBES;
}

/* The next sequence number. */
uint64_t heap_map_sequence(struct heap_map *m, uint64_t now_ns);

/* Around a removal, from before its sequence number is taken. */
uint64_t heap_map_enter(struct heap_map *m);
void heap_map_leave(struct heap_map *m, uint64_t epoch);

/* Waits until each removal that is under way has left. For who holds `walk`. */
void heap_map_settle(struct heap_map *m);

/* 0 and a whole copy of what lives in @slot under @key, or -ENOENT: not any more. */
int heap_map_read(struct heap_map *m, uint32_t slot, uint64_t key, struct heap_sample *s);

/*
 * Ends what is in @slot under @key, for a reason that began at @death. 0, -ECANCELED, -ESTALE,
 * or -EAGAIN: the key is another one now.
 */
int heap_map_end(struct heap_map *m, uint32_t slot, uint64_t key, uint64_t death,
		 enum heap_map_count reason);

#endif
