/* SPDX-License-Identifier: Apache-2.0 */
/* pymalloc's books of one pool: blocks of one size. Bytes of another process: any are legal. */
#ifndef SPPROF_PYMALLOC_POOL_H
#define SPPROF_PYMALLOC_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PYMALLOC_POOL_HEAD_BYTES 48 /* 3.8 to 3.15, 64 bit; the blocks follow */
#define PYMALLOC_MOST_POOL_BYTES 16384
#define PYMALLOC_POOL_CLASSES 32 /* of sizes: multiples of 16 */
#define PYMALLOC_POOL_WORDS (PYMALLOC_MOST_POOL_BYTES / 16 / 64)

/* struct pool_header, with which a pool begins. */
struct pymalloc_pool_head {
	uint32_t blocks; /* that live */
	uint32_t padding;
	uint64_t free_block, next, previous;
	uint32_t arena, size_index;	   /* numbers */
	uint32_t next_offset, last_offset; /* of blocks that were never given out */
};
_Static_assert(sizeof(struct pymalloc_pool_head) == PYMALLOC_POOL_HEAD_BYTES, "as it is");

struct pymalloc_pool {
	uint32_t block_bytes;
	uint32_t count; /* blocks that fit */
	uint32_t live;
	/* Blocks that were given out before and are free now. If all were given out, and the last of
	 * them was the first to come back, it is missed: it looks as before it was given out. */
	uint32_t freed;
	uint64_t free_bits[PYMALLOC_POOL_WORDS]; /* a bit a block, the lowest first */
};

/* Where a pool is, and what it belongs to. */
struct pymalloc_place {
	uint64_t address;
	uint32_t pool_bytes; /* at most PYMALLOC_MOST_POOL_BYTES */
	uint32_t arena;	     /* number of its arena */
};

/*
 * Of a whole pool's @bytes. 0 and *@out; -ENOENT: no block of it is in use; -EBADMSG: its list
 * of free blocks leaves it or loops, or its numbers contradict each other.
 * Source: cpython Objects/obmalloc.c (3.8 to 3.11), Include/internal/pycore_obmalloc.h.
 */
int pymalloc_decode_pool(const uint8_t *bytes, const struct pymalloc_place *at,
			 struct pymalloc_pool *out);

/* Whether the books say the same in both heads; the pool's neighbours may have changed. */
bool pymalloc_is_same_pool(const uint8_t a[PYMALLOC_POOL_HEAD_BYTES],
			   const uint8_t b[PYMALLOC_POOL_HEAD_BYTES]);

#endif
