/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_map - the sampled allocations that live, of all processes, found by process and pointer.
 *
 *	EMPTY -> RESERVED -> OCCUPIED -> TOMBSTONE -> RESERVED ...
 *	RESERVED -> TOMBSTONE	freed before it was published: it dies during its birth
 *	TOMBSTONE -> EMPTY	heap_map_compact() only
 *
 * Any thread may reserve, publish, free and find at any time, and none of it waits. Of one
 * pointer, a reservation begins when the one before it has been made: an allocator gives a
 * pointer to one at a time. All else may overlap: who wins the entry's key has done it, and
 * counts it.
 *
 * Sequence numbers order what happens: each is taken once, is at least the caller's clock and
 * greater than all before it. A birth's is taken at heap_map_reserve(), a free's where it begins.
 */
#ifndef SPPROF_HEAP_MAP_H
#define SPPROF_HEAP_MAP_H

#include "base/cleanup.h"

#include <stdint.h>

#define HEAP_MAP_CAPACITY (1u << 20)
#define HEAP_MAP_PROBES 128	 /* entries that are looked at before the map counts as full */
#define HEAP_NO_STACK UINT32_MAX /* no stack id: there was no room for it */

/* Happened once each, as counted by who won. `samples` end under one of the ways below it. */
#define HEAP_MAP_COUNTS(X)                                                             \
	X(SAMPLES, "allocations that were to be entered")                              \
	X(INSERTIONS, "published")                                                     \
	X(FULL_DROPS, "not entered: no room within the probes")                        \
	X(REFUSED, "not entered: the pointer is not one")                              \
	X(DEATHS_DURING_BIRTH, "freed before they were published")                     \
	X(FREES, "published ones that were freed")                                     \
	X(MISSED_FREES, "published ones whose pointer was allocated again")            \
	X(ENDED, "published ones whose process ended")                                 \
	X(ZOMBIE_FREES, "frees that began before the birth of what is there: ignored") \
	X(UNKNOWN_FREES, "frees of what is not there")                                 \
	X(COLLISIONS, "reservations whose first place was taken")                      \
	X(TOMBSTONES_RECYCLED, "reservations in the place of a dead one")              \
	X(TOMBSTONES_CLEARED, "places of dead ones that compaction has made empty")

enum heap_map_count {
#define X(name, help) HEAP_MAP_##name,
	HEAP_MAP_COUNTS(X)
#undef X
		HEAP_MAP_COUNT_MAX,
};

struct heap_map_counts {
	uint64_t of[HEAP_MAP_COUNT_MAX];
};

/* A sampled allocation. */
struct heap_sample {
	uint64_t address;
	uint64_t size;	/* bytes */
	uint64_t birth; /* sequence number: monotonic ns */
	uint32_t stack; /* id in the stack table, or HEAP_NO_STACK */
	uint32_t rate;	/* bytes; the sampling rate that it was taken at */
	uint16_t process;
};

/* A reservation, to be published by who has made it. */
struct heap_place {
	uint32_t slot;
	uint64_t key;
	uint64_t birth;
};

struct heap_map;
struct freed_log;

/* @capacity: a power of two, at least 2. NULL when out of memory. Freed ones go to @log. */
struct heap_map *heap_map_new(uint32_t capacity, struct freed_log *log);
void heap_map_free(struct heap_map *m); /* NULL is fine; no thread uses it any more */
DEFINE_OWNS(heap_map);

/*
 * Room for the allocation @address of @process, a multiple of 16 below 2^47. One that is there
 * already has been freed unseen: it goes. Returns 0, -EINVAL or -ENOSPC.
 */
int heap_map_reserve(struct heap_map *m, uint16_t process, uint64_t address, uint64_t now_ns,
		     struct heap_place *place);

/* 0, or -ECANCELED: it died during its birth. Each reservation is published once. */
int heap_map_publish(struct heap_map *m, const struct heap_place *place, uint64_t size,
		     uint32_t rate, uint32_t stack);

/* 0, -ECANCELED: it dies during its birth, -ENOENT, or -ESTALE: what is there is younger. */
int heap_map_remove(struct heap_map *m, uint16_t process, uint64_t address, uint64_t now_ns);

/* 0 or -ENOENT. */
int heap_map_find(struct heap_map *m, uint16_t process, uint64_t address, struct heap_sample *s);

/*
 * Makes TOMBSTONEs EMPTY that no entry needs to be found. No reservation may run meanwhile, nor
 * one be unpublished; frees may. Returns how many, or -ENOMEM.
 */
int64_t heap_map_compact(struct heap_map *m);

struct heap_map_counts heap_map_counts(const struct heap_map *m);
uint64_t heap_map_freed(const struct heap_map_counts *c); /* one way or another */
uint64_t heap_map_lost(const struct heap_map_counts *c);  /* never lived for anybody to see */
uint64_t heap_map_live(const struct heap_map_counts *c);
uint32_t heap_map_capacity(const struct heap_map *m);

#endif
