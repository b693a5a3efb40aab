/* SPDX-License-Identifier: Apache-2.0 */
/* heap_temporary - what was allocated and is freed again, summed up by stack. One thread. */
#ifndef SPPROF_HEAP_TEMPORARY_H
#define SPPROF_HEAP_TEMPORARY_H

#include "base/hash_index.h"
#include "heap/estimator.h"
#include "heap/heap_map.h"

#define HEAP_TEMPORARY_MOST 65536 /* stacks of all sessions, of 128 bytes */

struct heap_temporary_row {
	uint32_t stack;		  /* id, or HEAP_NO_STACK */
	struct estimate estimate; /* of those that were freed */
	/* Of those whose free was seen: objects that they stand for, times their lifetimes. */
	double objects, lifetimes_ns;
};

/* Zeroed memory has none. */
struct heap_temporary {
	struct heap_temporary_row *rows;
	uint32_t count, room;
	struct hash_index index; /* of the stacks */
};

void heap_temporary_fini(struct heap_temporary *t);

/*
 * @s was freed, after @lifetime_ns; 0: nobody saw when. @budget is how many rows there still may
 * be. 0, -ENOMEM or -ENOSPC.
 */
int heap_temporary_add(struct heap_temporary *t, const struct heap_sample *s, uint64_t lifetime_ns,
		       uint32_t *budget);

/* Fills *@out, to be freed by heap_temporary_fini(); it is to be read only. 0 or -ENOMEM. */
int heap_temporary_copy(const struct heap_temporary *t, struct heap_temporary *out);

#endif
