/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_tracker - from the records of allocators' probes to the one heap profiler (heap/), and
 * from there to what is told: live bytes by stack, growth, what was temporary.
 *
 * In the sampler's thread, but for heap_seen_…(). A session is a number below
 * SP_HEAP_SESSIONS, and its own process in the heap profiler.
 */
#ifndef SPPROF_HEAP_TRACKER_H
#define SPPROF_HEAP_TRACKER_H

#include "daemon/stack_store.h"
#include "heap/frame_health.h"
#include "heap/heap_profiler.h"
#include "resolve/heap_census.h"
#include "resolve/heap_sites.h"
#include "spprof_event.h"

#include <jansson.h>

struct heap_scan_target;
struct heap_tracker;

struct heap_tracker *heap_tracker_new(void);	/* NULL when out of memory */
void heap_tracker_free(struct heap_tracker *t); /* NULL is fine; no report of it is left */
DEFINE_OWNS(heap_tracker);

/* Session @n begins with nothing. 0 or -ENOMEM. */
int heap_tracker_begin(struct heap_tracker *t, uint32_t n, enum heap_tier tier, uint64_t now_ns);
/* Of session @n it is known from its begin on that many frees of small blocks are not seen. */
void heap_tracker_misses_frees(struct heap_tracker *t, uint32_t n);
/* No samples are taken any more; frees still count (the window of "temporary" ends). */
void heap_tracker_stop(struct heap_tracker *t, uint32_t n, uint64_t now_ns);
/* What it has is forgotten. */
void heap_tracker_end(struct heap_tracker *t, uint32_t n, uint64_t now_ns);
/* Session @child begins with what @parent has now: a fork. 0 or -ENOMEM, and it has not begun. */
int heap_tracker_forked(struct heap_tracker *t, uint32_t parent, uint32_t child, uint64_t now_ns);

/* Records of its process, which is @x's; the embedded sp_sample is @x's record. */
void heap_tracker_allocated(struct heap_tracker *t, const struct sp_alloc *a, struct sampled *x);
void heap_tracker_refilled(struct heap_tracker *t, const struct sp_alloc *a, struct sampled *x);
void heap_tracker_freed(struct heap_tracker *t, const struct sp_free *f);

/* A scan of the session's process, begun at @at_ns (monotonic). 0 or -ENOMEM. */
int heap_tracker_scanned(struct heap_tracker *t, uint32_t n, uint64_t at_ns,
			 const struct heap_census *census);

/* Samples of all sessions that live: for the kernel's filter of frees. */
void heap_tracker_each_live(struct heap_tracker *t,
			    void (*live)(void *ctx, uint32_t n, uint64_t address), void *ctx);

/* From time to time. */
void heap_tracker_maintain(struct heap_tracker *t);

/* Of a session. Each record of an allocation or refill is in @samples or in @dropped. */
struct heap_tracker_load {
	uint64_t live_samples, freed; /* refills are neither */
	uint64_t samples;
	uint64_t dropped;	    /* no room in a table, or the record says what cannot be */
	uint64_t untold;	    /* no room for a stack, or in the sums of what is told */
	struct frame_health health; /* of the native stacks */
};
struct heap_tracker_load heap_tracker_load(const struct heap_tracker *t, uint32_t n);

/* Of all sessions, since one began while there was none; zeros without. */
struct heap_statistics heap_tracker_statistics(const struct heap_tracker *t);

/* A copy of what is known of session @n, for another thread. NULL when out of memory. */
struct heap_seen;
struct heap_seen *heap_tracker_see(struct heap_tracker *t, uint32_t n, uint64_t now_ns);
void heap_seen_free(struct heap_seen *s); /* NULL is fine */
DEFINE_OWNS(heap_seen);

/*
 * Where frees are missed, looks in the process of @target, which is the session's, which of the
 * samples are free by now; they are left out from here on. In the worker's thread. 0 or -ENOMEM.
 */
int heap_seen_find_freed(struct heap_seen *s, const struct heap_scan_target *target);

/*
 * Adds "stacks", "growth", "temporary" to @page, and to its "coverage" what the probes saw of the
 * change that the scans saw: in the worker's thread, after the last scan was put into @s. 0 or
 * -ENOMEM.
 */
int heap_seen_add_scan(struct heap_seen *s, uint64_t at_ns, const struct heap_census *census);
int heap_seen_tell(const struct heap_seen *s, json_t *page);

#endif
