/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_census - what a scan found alive in a process, by type and by size. Bytes are those that
 * the allocator gave: whole blocks. Every number that is not exact has the one beside it that says
 * by how much.
 */
#ifndef SPPROF_HEAP_CENSUS_H
#define SPPROF_HEAP_CENSUS_H

#include "base/cleanup.h"

#include <stdint.h>

#define HEAP_CENSUS_MOST_TYPES 65536 /* met in one scan; the others are summed up */
#define HEAP_CENSUS_MOST_KINDS 65536 /* types times sizes of their blocks */
#define HEAP_CENSUS_CLASSES 32	     /* of blocks of 16, 32, … 512 bytes */

struct heap_census_type {
	char *name;   /* valid UTF-8: what __name__ says, tp_name's last part */
	char *module; /* valid UTF-8; "builtins"; "" if it is not known */
	uint64_t objects, bytes;
};

/* Memory that belongs to objects and is none: it has no type of its own. */
enum heap_storage {
	HEAP_STORAGE_LIST, /* items of lists */
	HEAP_STORAGE_DICT, /* keys and values of dicts, of instances too */
	HEAP_STORAGE_SET,  /* tables of sets and frozensets */
	HEAP_STORAGE_MAX,
};

struct heap_census_storage {
	uint64_t blocks, bytes; /* all of them */
	uint64_t outside_bytes; /* of these, those that are not in scanned blocks */
};

struct heap_census_size {
	uint64_t size;	      /* bytes of a block */
	uint64_t blocks;      /* that live */
	uint64_t free_blocks; /* of pools or pages of that size, those untouched so far too */
	uint64_t pools;
	/* Of the free ones, those that were given out before: in each pool, all of them or all but
	 * one. mimalloc: 0, as its lists do not say. */
	uint64_t freed_blocks;
};

/* Objects of a type in small scanned blocks of one size. */
struct heap_census_kind {
	uint64_t type; /* a hash of its module and name: the same in every scan */
	uint64_t objects;
	uint32_t block_bytes;
};

struct heap_census {
	/* In descending order of bytes, then of objects, then by module and name. Each pair once. */
	struct heap_census_type *types;
	uint32_t type_count;
	uint64_t other_types_objects, other_types_bytes; /* beyond HEAP_CENSUS_MOST_TYPES */

	/* Ascending; only those in use. */
	struct heap_census_size *sizes;
	uint32_t size_count;

	/* In no order; those of types of one name and module are not summed up. */
	struct heap_census_kind *kinds;
	uint32_t kind_count, kind_room;
	uint32_t kinds_left_out; /* beyond HEAP_CENSUS_MOST_KINDS */

	struct heap_census_storage storage[HEAP_STORAGE_MAX];

	uint64_t arenas, arena_bytes;	  /* that the allocator holds (mimalloc: segments) */
	uint64_t scanned_bytes;		  /* that were read of them */
	uint64_t live_blocks, live_bytes; /* in what was scanned */
	uint64_t explained_bytes;	  /* of these, those with a type or of a storage */

	/* Outside of it, through the GC's links: in @types, and not above. */
	uint64_t large_objects, large_bytes;

	/* Kept on free lists: alive for the allocator only. */
	uint64_t unused_objects, unused_bytes;

	/* How far the scan is from one moment, and from the truth. */
	uint64_t pools;		   /* that were read (mimalloc: pages) */
	uint64_t pools_changed;	   /* of these, while they were read */
	uint64_t pools_unreadable; /* gone, or swapped to nowhere, while the scan went on */
	uint64_t pools_damaged;	   /* whose books contradict themselves */
	uint64_t types_unreadable; /* objects whose type could not be read are not explained */
	uint64_t large_left_out;   /* outside: beyond the most that are followed */
	uint64_t nanoseconds;
};

/* Zeroed memory is an empty census. */
void heap_census_fini(struct heap_census *c);
static inline void heap_census_cleanup(struct heap_census *c)
{
	heap_census_fini(c);
}

/* The number of the first row of at least @size bytes; size_count: there is none. */
uint32_t heap_census_find_size(const struct heap_census *c, uint64_t size);

/* Adds a pool's numbers, or several pools', to those of its size. 0 or -ENOMEM. */
int heap_census_add_size(struct heap_census *c, const struct heap_census_size *more);

/* 0 or -ENOMEM. */
int heap_census_add_kind(struct heap_census *c, const struct heap_census_kind *kind);

/* Puts the types into their order, each pair of names once. */
void heap_census_sort(struct heap_census *c);

/* 1 if nothing changed while it was read; 0 to 1. */
double heap_census_consistency(const struct heap_census *c);

#endif
