/* SPDX-License-Identifier: Apache-2.0 */
/* pymalloc's books of one arena: struct arena_object. Bytes of another process: any are legal. */
#ifndef SPPROF_PYMALLOC_ARENA_H
#define SPPROF_PYMALLOC_ARENA_H

#include <stdint.h>

#define PYMALLOC_ARENA_OBJECT_BYTES 48 /* 3.8 to 3.15, 64 bit */
#define PYMALLOC_ADDRESS_END (1ull << 47)

/* struct arena_object; of those without an arena only the first word, 0, and @next count. */
struct pymalloc_arena_object {
	uint64_t address, pool_address;
	uint32_t free_pools, pools;
	uint64_t free_list, next, previous;
};
_Static_assert(sizeof(struct pymalloc_arena_object) == PYMALLOC_ARENA_OBJECT_BYTES, "as it is");

/* What a build was compiled with: 4 KiB and 256 KiB up to 3.9, 16 KiB and 1 MiB from 3.10 on. */
struct pymalloc_sizes {
	uint32_t pool_bytes;
	uint32_t arena_bytes;
};

struct pymalloc_arena {
	uint64_t address;	 /* of its memory, as it was allocated */
	uint64_t first_pool;	 /* @address, rounded up to a pool */
	uint32_t pool_count;	 /* that fit */
	uint32_t untouched_from; /* number of the first pool that was never given out */
	uint32_t free_pools;	 /* the untouched ones, and those that came back */
};

/*
 * 0 and *@out; -ENOENT: this entry has no arena; -EBADMSG: it is no arena_object.
 * Source: cpython Objects/obmalloc.c (3.8 to 3.11), Include/internal/pycore_obmalloc.h.
 */
int pymalloc_decode_arena(const uint8_t object[PYMALLOC_ARENA_OBJECT_BYTES],
			  const struct pymalloc_sizes *sizes, struct pymalloc_arena *out);

#endif
