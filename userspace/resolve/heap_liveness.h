/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_liveness - which of the blocks that pymalloc once gave out are surely free by now, by its own
 * books: where nobody sees that a block is freed.
 */
#ifndef SPPROF_HEAP_LIVENESS_H
#define SPPROF_HEAP_LIVENESS_H

#include "resolve/heap_scan.h"
#include "resolve/target_memory.h"

#include <stddef.h>
#include <stdint.h>

/* A block that was given out before it is asked about. */
struct heap_block {
	uint64_t address;
	uint64_t size;	/* bytes that were asked for */
	uint64_t birth; /* the asker's: it tells blocks apart that had the address */
	bool is_found;	/* in an arena */
	bool is_free;	/* as far as is sure: one of which nothing is known, or that was given out
			 * again, is not */
};

/*
 * Of @blocks, sorted by address and zeroed but for what they are, sets is_found and is_free. 0;
 * -ENOTSUP: it is not pymalloc; -EAGAIN as heap_scan(); -ECANCELED, -ESRCH, -EPERM, -EFAULT,
 * -ENOMEM, and what is set means nothing. Any content is legal.
 */
int heap_liveness_look(const struct heap_scan_target *t, const struct target_reader *memory,
		       struct heap_block *blocks, size_t count);

#endif
