/* SPDX-License-Identifier: Apache-2.0 */
#include "python/mimalloc_page.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define SIZE_IS_THE_SPAN 0x80000000u /* of xblock_size: it does not fit */
#define THREAD_FREE_FLAGS 3u
#define TAG_SHIFT 3 /* behind is_committed, is_zero_init, use_qsbr */
#define TAG_MASK 15u
#define LEAST_BLOCK 8u

/* mi_page_t of either version begins so. Debug builds have two keys before xthread_free. */
struct head {
	uint32_t slice_count, slice_offset;
	uint8_t flags, debug_offset; /* 2.5: has no debug_offset here */
	uint16_t capacity, reserved;
	uint8_t page_flags, retire_expire;
	uint64_t free;
	union {
		struct {
			uint32_t used, xblock_size;
			uint64_t local_free, xthread_free, xheap;
			uint64_t next, prev;
		} v2_1;
		struct {
			uint64_t local_free;
			uint16_t used;
			uint8_t block_size_shift, heap_tag;
			uint8_t use_qsbr, debug_offset;
			uint8_t unused[2];
			uint64_t block_size, page_start, xthread_free, xheap;
		} v2_5;
	};
};
_Static_assert(sizeof(struct head) == MIMALLOC_PAGE_BYTES, "as in memory");

static uint64_t span(const struct head *h)
{
	return (uint64_t)h->slice_count * MIMALLOC_SLICE_BYTES;
}

/* Pages of small blocks begin some blocks behind their slice, for the sake of caches. */
static uint64_t start_offset(uint64_t block_bytes)
{
	return block_bytes <= 64 ? 3 * block_bytes : block_bytes <= 512 ? block_bytes : 0;
}

static void decode_2_1(const struct head *h, uint64_t slice_address, struct mimalloc_page *out)
{
	*out = (struct mimalloc_page){
		.block_bytes =
			h->v2_1.xblock_size < SIZE_IS_THE_SPAN ? h->v2_1.xblock_size : span(h),
		.local_free = h->v2_1.local_free,
		.thread_free = h->v2_1.xthread_free,
		.heap = h->v2_1.xheap,
		.used = h->v2_1.used,
		.tag = h->flags >> TAG_SHIFT & TAG_MASK,
	};
	out->address = slice_address + start_offset(out->block_bytes);
}

static void decode_2_5(const struct head *h, struct mimalloc_page *out)
{
	*out = (struct mimalloc_page){
		.address = h->v2_5.page_start,
		.block_bytes = h->v2_5.block_size,
		.local_free = h->v2_5.local_free,
		.thread_free = h->v2_5.xthread_free,
		.heap = h->v2_5.xheap,
		.used = h->v2_5.used,
		.tag = h->v2_5.heap_tag,
	};
}

/* @room: from the page's first block to the end of its last slice. */
static bool is_plausible(const struct head *h, const struct mimalloc_page *p, uint64_t room)
{
	if (p->block_bytes < LEAST_BLOCK || p->block_bytes % 8 || p->capacity > p->reserved ||
	    p->used > p->capacity || p->reserved > room / p->block_bytes)
		return false;
	if (p->block_bytes > MIMALLOC_PAGE_SMALL_BLOCK)
		return p->reserved <= MIMALLOC_PAGE_MOST_LARGE_BLOCKS;
	return h->slice_count <= MIMALLOC_PAGE_MOST_SLICES;
}

int mimalloc_decode_page(const uint8_t bytes[MIMALLOC_PAGE_BYTES],
			 const struct mimalloc_segment *segment, uint32_t slice,
			 struct mimalloc_page *out)
{
	uint64_t start = (uint64_t)slice * MIMALLOC_SLICE_BYTES, offset;
	struct head h;

	memcpy(&h, bytes, sizeof(h));
	if (!h.slice_count || h.slice_offset || !h.reserved)
		return -ENOENT;
	if (segment->version == MIMALLOC_2_1)
		decode_2_1(&h, segment->address + start, out);
	else
		decode_2_5(&h, out);
	if (!out->block_bytes)
		return -ENOENT;
	out->free = h.free;
	out->thread_free &= ~(uint64_t)THREAD_FREE_FLAGS;
	out->capacity = h.capacity;
	out->reserved = h.reserved;
	offset = out->address - segment->address - start;
	if (start + span(&h) > segment->bytes || offset > span(&h))
		return -EBADMSG;
	return is_plausible(&h, out, span(&h) - offset) ? 0 : -EBADMSG;
}

uint32_t mimalloc_heap_late(enum mimalloc_version version)
{
	return version == MIMALLOC_2_1 ? 2840 : 8;
}
