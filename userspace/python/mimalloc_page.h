/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The books of a page of mimalloc (mi_page_t): equal blocks beside each other, and lists of those
 * that are free. Bytes of another process: any are legal.
 */
#ifndef SPPROF_MIMALLOC_PAGE_H
#define SPPROF_MIMALLOC_PAGE_H

#include "python/mimalloc_segment.h"

#include <stddef.h>
#include <stdint.h>

#define MIMALLOC_PAGE_BYTES 72		/* of a mi_page_t, as far as it is looked at */
#define MIMALLOC_PAGE_MOST_SLICES 8	/* of a page of small blocks */
#define MIMALLOC_PAGE_BITMAP_WORDS 1024 /* for as many blocks as a page can have */
#define MIMALLOC_PAGE_SMALL_BLOCK 16384 /* pages of larger ones have at most 32 */
#define MIMALLOC_PAGE_MOST_LARGE_BLOCKS 32

/* mi_page_t.tag, or heap_tag: _Py_mimalloc_heap_id in free-threaded builds, else 0. */
enum mimalloc_tag {
	MIMALLOC_TAG_MEMORY,
	MIMALLOC_TAG_OBJECT, /* without GC */
	MIMALLOC_TAG_GC,
	MIMALLOC_TAG_GC_PRE, /* with two words before the object */
};

struct mimalloc_page {
	uint64_t address; /* of the first block */
	uint64_t block_bytes;
	uint64_t free, local_free, thread_free; /* the first block of each list; 0: none */
	uint64_t heap;				/* the thread's; 0: it has ended */
	uint32_t used;	   /* blocks that are neither in @free nor in @local_free */
	uint16_t capacity; /* blocks that there are, @used or free */
	uint16_t reserved; /* that there can be */
	uint8_t tag;
};

/*
 * Of the page that begins with number @slice of @segment. 0; -ENOENT: the slices are not in use,
 * or not yet; -EBADMSG.
 * Source: cpython Include/internal/mimalloc/mimalloc/types.h, Objects/mimalloc/segment.c.
 */
int mimalloc_decode_page(const uint8_t bytes[MIMALLOC_PAGE_BYTES],
			 const struct mimalloc_segment *segment, uint32_t slice,
			 struct mimalloc_page *out);

/*
 * Bytes of a mi_heap_t before thread_delayed_free: the first of the blocks in full pages that
 * other threads freed, of which the page does not know yet. The first word of each is the address
 * of the next.
 */
uint32_t mimalloc_heap_late(enum mimalloc_version version);

#endif
