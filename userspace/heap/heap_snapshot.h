/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_snapshot - the sampled allocations that live at one sequence number, and what they stand
 * for. While it is kept it takes 40 bytes a sample beside the map.
 */
#ifndef SPPROF_HEAP_SNAPSHOT_H
#define SPPROF_HEAP_SNAPSHOT_H

#include "heap/estimator.h"
#include "heap/frame_health.h"
#include "heap/freed_log.h"
#include "heap/heap_walk.h"

#define HEAP_SNAPSHOT_TRIES 3 /* while too much is freed for the log of freed ones */

/* What a sample is to who reads it. */
struct allocation_sample {
	uint64_t address;
	uint64_t size;		  /* bytes, > 0 */
	uint64_t weight;	  /* bytes that it stands for, >= size */
	uint64_t estimated_bytes; /* the weight */
	uint64_t timestamp_ns;	  /* monotonic, of the allocation */
	uint64_t lifetime_ns;	  /* 0: it lives */
	uint32_t stack;		  /* id, or HEAP_NO_STACK */
	uint32_t gc_epoch;	  /* 0: unknown */
	uint16_t process;
};

struct heap_snapshot {
	struct heap_sample *samples; /* live_samples of them, in no order */
	uint64_t total_samples;	     /* taken so far */
	uint64_t live_samples;
	uint64_t estimated_heap_bytes; /* the sum of their weights */
	struct estimate estimate;      /* the same, with the interval */
	uint64_t timestamp_ns;	       /* the sequence number, monotonic */
	uint64_t unborn;	       /* see struct heap_walk */
	uint64_t missed;
	struct frame_health frame_pointer_health;
};

/* Who allocated the most: a stack's share. */
struct heap_allocator {
	uint32_t stack;
	uint64_t estimated_bytes;
	uint64_t sample_count;
};

struct allocation_sample allocation_sample_of(const struct heap_sample *live);
struct allocation_sample allocation_sample_of_freed(const struct freed_row *freed);

/* 0 or -ENOMEM. @out is filled anew; the health is the caller's to add. */
int heap_snapshot_take(struct heap_map *m, uint64_t now_ns, struct heap_snapshot *out);
void heap_snapshot_fini(struct heap_snapshot *s);

static inline void heap_snapshot_cleanup(struct heap_snapshot *s)
{
	heap_snapshot_fini(s);
}

/*
 * The @most stacks of the greatest estimated bytes, first the greatest; equal ones by id.
 * Returns how many there are, or -ENOMEM.
 */
int64_t heap_snapshot_top_allocators(const struct heap_snapshot *s, struct heap_allocator *top,
				     size_t most);

#endif
