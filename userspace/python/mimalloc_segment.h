/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The books of a segment of the mimalloc that CPython has in it: 32 MiB of slices, or one block
 * that is larger. Bytes of another process: any are legal.
 */
#ifndef SPPROF_MIMALLOC_SEGMENT_H
#define SPPROF_MIMALLOC_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MIMALLOC_SEGMENT_BYTES (32ull << 20) /* where a segment begins is a multiple of it */
#define MIMALLOC_SLICE_BYTES 65536u
#define MIMALLOC_MOST_SLICES 512u	 /* of an ordinary segment, and in the table of any */
#define MIMALLOC_SEGMENT_HEAD_BYTES 288u /* mi_segment_t up to its table of slices, at the most */
#define MIMALLOC_MOST_STRIDE 112u	 /* of the table's entries, the longest mi_page_t */

/* A version of Python may have either: which one is seen by what fits. */
enum mimalloc_version {
	MIMALLOC_2_1, /* 3.13.0 to 3.14.0 have it for certain */
	MIMALLOC_2_5, /* as have 3.14.10 and 3.15.2 */
};

struct mimalloc_segment {
	uint64_t address;
	uint64_t bytes;
	uint64_t key; /* the same in all segments of a process */
	enum mimalloc_version version;
	uint32_t table; /* bytes from @address to the table of slices */
	uint32_t first; /* slice behind the books */
	uint32_t end;	/* of the table */
};

/*
 * What begins at @address with @head. 0; -ENOENT: no segment, or one that has no page.
 * Source: cpython Include/internal/mimalloc/mimalloc/types.h, Objects/mimalloc/segment.c.
 */
int mimalloc_decode_segment(const uint8_t head[MIMALLOC_SEGMENT_HEAD_BYTES], uint64_t address,
			    struct mimalloc_segment *out);

/* Bytes from one entry of the table to the next; debug builds have others. */
uint32_t mimalloc_stride(enum mimalloc_version version, bool is_free_threaded);

/*
 * The slice after @slice at which a page can begin, or @segment->end; @slice is below that.
 * @table: that of the segment's slices, its entries @stride bytes apart.
 */
uint32_t mimalloc_next_slice(const struct mimalloc_segment *segment, const uint8_t *table,
			     uint32_t stride, uint32_t slice);

#endif
