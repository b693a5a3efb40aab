/* SPDX-License-Identifier: Apache-2.0 */
/* Which blocks of a page of mimalloc are free: its lists are followed in a copy of them. */
#ifndef SPPROF_MIMALLOC_FREE_H
#define SPPROF_MIMALLOC_FREE_H

#include "python/mimalloc_page.h"

/* Copies of @page->capacity blocks, of each at least the first word. */
struct mimalloc_copies {
	const uint8_t *bytes;
	size_t stride;
};

/*
 * Sets the bits of the blocks that are free, the lowest first; none is set before. 0; -EBADMSG: a
 * list leaves the page or comes back, or there are not as many as the page says. What was found
 * until then is marked.
 */
int mimalloc_mark_free(const struct mimalloc_page *page, const struct mimalloc_copies *blocks,
		       uint64_t bits[MIMALLOC_PAGE_BITMAP_WORDS]);

/* The bit of the block at @address. 0; -EBADMSG: no block begins there; -EEXIST: it is set. */
int mimalloc_mark_block(const struct mimalloc_page *page, uint64_t address,
			uint64_t bits[MIMALLOC_PAGE_BITMAP_WORDS]);

#endif
