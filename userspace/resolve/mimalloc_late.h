/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mimalloc_late - blocks that a thread freed in a full page of another: that page's own lists do
 * not have them, its owner's heap has until the owner looks.
 */
#ifndef SPPROF_MIMALLOC_LATE_H
#define SPPROF_MIMALLOC_LATE_H

#include "base/buffer.h"
#include "python/mimalloc_free.h"
#include "resolve/target_memory.h"

#define MIMALLOC_MOST_LATE 1048576 /* blocks; beyond that a list is not followed */

/* Zeroed memory knows of no heap. */
struct mimalloc_late {
	struct buffer heaps, blocks; /* of addresses */
	size_t cut;		     /* lists that were not followed to their end: too long */
	size_t changed; /* that led nowhere: taken back meanwhile, or no heap's at all */
};

static inline void mimalloc_late_cleanup(struct mimalloc_late *late)
{
	buffer_fini(&late->heaps);
	buffer_fini(&late->blocks);
}

/* 0 or -ENOMEM. The same heap may be told often; 0 is none. */
int mimalloc_late_add_heap(struct mimalloc_late *late, uint64_t heap);

/* Reads the lists of all heaps that were told. 0, -ENOMEM, -ESRCH, -EPERM. */
int mimalloc_late_read(struct mimalloc_late *late, enum mimalloc_version version,
		       const struct target_reader *memory);

/* Sets the bits of those in @page. */
void mimalloc_late_mark(const struct mimalloc_late *late, const struct mimalloc_page *page,
			uint64_t bits[MIMALLOC_PAGE_BITMAP_WORDS]);

#endif
