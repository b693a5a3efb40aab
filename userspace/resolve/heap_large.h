/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_large - objects that are too large for pymalloc, found through the GC's lists: objects
 * in its arenas are their neighbours there. What the GC does not know of is not found.
 */
#ifndef SPPROF_HEAP_LARGE_H
#define SPPROF_HEAP_LARGE_H

#include "resolve/address_set.h"
#include "resolve/type_table.h"

struct heap_large {
	struct type_table *types;
	struct address_set seen; /* GC heads that lie outside */
	uint64_t *pending;	 /* of these, those to read */
	size_t count, room;
	uint64_t objects, bytes;
};

void heap_large_init(struct heap_large *l);
void heap_large_fini(struct heap_large *l);

/* A GC head, as an object's own one points to it, flags included. 0 or -ENOMEM. */
int heap_large_note(struct heap_large *l, uint64_t head);

/* Reads what was noted and what that leads to, and counts it with its types. 0, -ENOMEM, -ESRCH. */
int heap_large_follow(struct heap_large *l, const struct target_reader *memory);

#endif
