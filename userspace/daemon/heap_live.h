/* SPDX-License-Identifier: Apache-2.0 */
/* heap_live - the samples of a session that live at one moment, summed up by stack. */
#ifndef SPPROF_HEAP_LIVE_H
#define SPPROF_HEAP_LIVE_H

#include "base/hash_index.h"
#include "daemon/heap_freed.h"
#include "resolve/heap_census.h"

struct heap_live_row {
	uint32_t stack; /* id, or HEAP_NO_STACK */
	struct estimate all;
	struct estimate libc; /* of these, those that the C library gave */
};

/* Zeroed memory has none. */
struct heap_live {
	struct heap_live_row *rows; /* in no order */
	uint32_t count, room;
	struct hash_index index;
	/*
	 * Bytes, in whole blocks, of what the Python's own allocator gave: those blocks that a scan
	 * finds. Born at or before the moment that was asked for, and all of them.
	 */
	double old_blocks_bytes, blocks_bytes;
	double blocks_variance; /* of all of them, in bytes */
	uint64_t freed_samples; /* left out */
};

void heap_live_fini(struct heap_live *l);
static inline void heap_live_cleanup(struct heap_live *l)
{
	heap_live_fini(l);
}

/*
 * Fills *@out, which is empty before, as of the last record, but for what @freed (or NULL) has. The
 * blocks have the sizes of @census; without one (NULL) multiples of 16. Any thread. 0 or -ENOMEM,
 * and *@out is empty.
 */
int heap_live_take(struct heap_model *m, const struct heap_ids *ids, const struct heap_freed *freed,
		   const struct heap_census *census, uint64_t old_ns, struct heap_live *out);

#endif
