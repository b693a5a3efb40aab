/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_profiler - the whole model of sampled heaps: what lives, who allocated it, what it stands
 * for. It owns the heap map with its log of freed ones, the stack table and the bloom filter.
 *
 * heap_state.h says when which call is allowed; elsewhere it is -EPERM and @why names the state.
 * Samples and frees may come from any thread and take no lock; the other calls take turns.
 */
#ifndef SPPROF_HEAP_PROFILER_H
#define SPPROF_HEAP_PROFILER_H

#include "base/buffer.h"
#include "heap/heap_snapshot.h"
#include "heap/heap_state.h"
#include "heap/stack_table.h"

#include <stdbool.h>

#define HEAP_RATE_MOST UINT32_MAX /* bytes */

struct heap_settings {
	uint64_t sampling_rate; /* bytes, 1 to HEAP_RATE_MOST */
	bool capture_python;	/* for who walks stacks: Python frames, too */
	bool resolve_on_stop;	/* stop has the frames named: by @resolve */

	void (*resolve)(void *arg, struct stack_table *stacks);
	void *arg;
};

struct heap_allocation {
	uint64_t address, size, now_ns;
	uint32_t rate; /* bytes, that it was sampled at; 0: as init was told */
	uint16_t process;
};

/* Read at one time while threads go on: each is right, their sum may be of two moments. */
#define HEAP_STATISTICS(X)                                                              \
	X(total_samples, "allocations sampled")                                         \
	X(total_frees_tracked, "sampled allocations that were seen to be freed")        \
	X(heap_map_collisions, "entries of the heap map whose first place was taken")   \
	X(heap_map_insertions, "samples entered into the heap map")                     \
	X(heap_map_deletions, "samples that left the heap map")                         \
	X(heap_map_full_drops, "samples dropped: heap map full")                        \
	X(stack_table_collisions, "stacks whose hash another one has")                  \
	X(bloom_rebuilds, "times that the bloom filter was made again")                 \
	X(death_during_birth, "samples freed before they were entered")                 \
	X(zombie_races_detected, "frees older than what is at their pointer: ignored")  \
	X(tombstones_recycled, "entries in the place of one that was freed")            \
	X(shallow_stack_warnings, "native stacks of too few frames")                    \
	/* beyond what the mission's document names */                                  \
	X(missed_frees, "samples whose pointer was allocated again: freed unseen")      \
	X(process_frees, "samples that went with their process")                        \
	X(unknown_frees, "frees that the filter let pass, of nothing that was sampled") \
	X(refused_samples, "samples dropped: not a pointer")                            \
	X(stackless_samples, "samples whose stack is not known: HEAP_NO_STACK")         \
	X(freed_log_overflow, "freed samples that left the log to make room")           \
	X(tombstones_cleared, "places that compaction has made empty")

struct heap_statistics {
#define X(name, help) uint64_t name;
	HEAP_STATISTICS(X)
#undef X
};

/* total = live + freed + lost, but for the samples that are being entered at this moment. */
struct heap_profiler_stats {
	uint64_t total_samples;
	uint64_t live_samples;
	uint64_t freed_samples; /* also unseen, and with their process */
	uint64_t lost_samples;	/* dropped, or dead during their birth */
	uint64_t unique_stacks;
	uint64_t estimated_heap_bytes;
	double heap_map_load_percent;
	uint64_t collisions;
	uint64_t sampling_rate_bytes;
};

struct heap_profiler;

/* NULL when out of memory. */
struct heap_profiler *heap_profiler_new(void);
void heap_profiler_free(struct heap_profiler *p); /* NULL is fine; no thread uses it any more */
DEFINE_OWNS(heap_profiler);

/* All: 0, -EPERM, -ENOMEM; init also -EINVAL: no such rate. @why is left as it is on success. */
int heap_profiler_init(struct heap_profiler *p, const struct heap_settings *s, struct buffer *why);
int heap_profiler_start(struct heap_profiler *p, struct buffer *why);
int heap_profiler_stop(struct heap_profiler *p, struct buffer *why); /* frees still count */
int heap_profiler_shutdown(struct heap_profiler *p, struct buffer *why);
int heap_profiler_snapshot(struct heap_profiler *p, uint64_t now_ns, struct heap_snapshot *out,
			   struct buffer *why);
int heap_profiler_stats(struct heap_profiler *p, uint64_t now_ns, struct heap_profiler_stats *out,
			struct buffer *why);

enum heap_state heap_profiler_state(const struct heap_profiler *p);

/*
 * 0; -ESHUTDOWN: not ACTIVE, ignored; -EINVAL, -ENOSPC, -ECANCELED as of the heap map. @stack has
 * been interned in heap_profiler_stacks(), or is HEAP_NO_STACK.
 */
int heap_profiler_sample_stack(struct heap_profiler *p, const struct heap_allocation *a,
			       uint32_t stack);

/* 0 and what lives at @address, or -ENOENT. */
int heap_profiler_find(struct heap_profiler *p, uint16_t process, uint64_t address,
		       struct heap_sample *s);

/* 0; -ESHUTDOWN; -ENOENT: not a sample; -ESTALE, -ECANCELED as of the heap map. */
int heap_profiler_freed(struct heap_profiler *p, uint16_t process, uint64_t address,
			uint64_t now_ns);

/*
 * The following are for ACTIVE and STOPPED; elsewhere they do nothing and return -ESHUTDOWN.
 *
 * A process forks: the child has what the parent has, at the same pointers. It ends, or begins
 * another program: it has nothing. Returns how many samples.
 */
int64_t heap_profiler_forked(struct heap_profiler *p, uint16_t parent, uint16_t child,
			     uint64_t now_ns);
int64_t heap_profiler_ended(struct heap_profiler *p, uint16_t process, uint64_t now_ns);

/* As heap_map_visit(), in its turn; -ESHUTDOWN. */
int heap_profiler_visit(struct heap_profiler *p, uint64_t now_ns, heap_visitor *visit, void *arg,
			struct heap_walk *walk);
/* As heap_map_each(). */
void heap_profiler_each(struct heap_profiler *p, heap_visitor *visit, void *arg);

/* Of one walk over native stacks, or of many. */
int heap_profiler_add_health(struct heap_profiler *p, const struct frame_health *health);

/*
 * From time to time: makes the filter again when it is half full; in STOPPED takes tombstones
 * away. 0 or -ENOMEM.
 */
int heap_profiler_maintain(struct heap_profiler *p);

struct heap_statistics heap_profiler_statistics(struct heap_profiler *p); /* zeros before init */

/* What init was told; the tables. NULL before init; they live as long as the profiler. */
const struct heap_settings *heap_profiler_settings(const struct heap_profiler *p);
struct stack_table *heap_profiler_stacks(const struct heap_profiler *p);

#endif
