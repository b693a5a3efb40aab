/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mimalloc_segments - where a process has the segments of its mimalloc: found by what memory
 * holds at multiples of 32 MiB, so that those of ended threads are there too.
 */
#ifndef SPPROF_MIMALLOC_SEGMENTS_H
#define SPPROF_MIMALLOC_SEGMENTS_H

#include "base/cleanup.h"
#include "python/mimalloc_segment.h"

#include <stdatomic.h>
#include <sys/types.h>

#define MIMALLOC_MOST_SEGMENTS 262144 /* 8 TiB */

struct mimalloc_segments {
	struct mimalloc_segment *all; /* by address */
	size_t count;
	size_t left_out; /* beyond MIMALLOC_MOST_SEGMENTS */
};

/* Zeroed memory has none. */
static inline void mimalloc_segments_cleanup(struct mimalloc_segments *s)
{
	free(s->all);
}

/*
 * Memory that was never touched is not touched. 0; -ECANCELED once *@is_cancelled, which may be
 * NULL; -ESRCH, -EPERM, -ENOMEM.
 */
int mimalloc_segments_find(pid_t pid, const atomic_bool *is_cancelled,
			   struct mimalloc_segments *out);

/*
 * Of @count segments by address those of the mimalloc that has most of them: what has another key, or
 * lies in one before, is none. How many are left, at the front.
 */
size_t mimalloc_segments_agree(struct mimalloc_segment *all, size_t count);

#endif
