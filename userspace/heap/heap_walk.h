/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_walk - all entries of a heap map as of one sequence number, while it changes; or those of a
 * process that ends. One walk at a time: other walks wait, allocations and frees do not.
 */
#ifndef SPPROF_HEAP_WALK_H
#define SPPROF_HEAP_WALK_H

#include "heap/heap_map.h"

/* 0, or negative to end the walk. It may reserve, publish and free, not walk. */
typedef int heap_visitor(void *arg, const struct heap_sample *s);

struct heap_walk {
	uint64_t as_of;	 /* sequence number */
	uint64_t unborn; /* reserved before it, but not published in time: not visited */
	uint64_t missed; /* at most as many were freed meanwhile, with no trace in the log */
};

/*
 * Visits exactly those entries that were born at or before one sequence number, which it takes
 * at @now_ns, and not freed before it; unless it says how many `missed`.
 * Returns 0, -ENOMEM, or what the visitor returned.
 */
int heap_map_visit(struct heap_map *m, uint64_t now_ns, heap_visitor *visit, void *arg,
		   struct heap_walk *walk);

/* Visits what lives from beginning to end; of what comes or goes meanwhile, some. */
void heap_map_each(struct heap_map *m, heap_visitor *visit, void *arg);

/* A process ends, or begins another program: how many of its entries went. */
uint64_t heap_map_drop_process(struct heap_map *m, uint16_t process, uint64_t now_ns);

#endif
