/* SPDX-License-Identifier: Apache-2.0 */
#include "python/pymalloc_pool.h"

#include "base/words.h"

#include <errno.h>
#include <string.h>

#define ALIGNMENT 16

static struct pymalloc_pool_head head_of(const uint8_t *bytes)
{
	struct pymalloc_pool_head head;

	memcpy(&head, bytes, sizeof(head));
	return head;
}

/* Marks the blocks from @first on, which were never given out. */
static void mark_untouched(struct pymalloc_pool *p, uint32_t first)
{
	for (uint32_t i = first; i < p->count; i++)
		p->free_bits[i / 64] |= 1ull << (i % 64);
}

/* Marks those of the list of free blocks, which are among the first @touched. */
static int mark_listed(const uint8_t *bytes, const struct pymalloc_place *at, uint32_t touched,
		       struct pymalloc_pool *p)
{
	uint64_t block = head_of(bytes).free_block;
	uint32_t listed = 0, last = touched, ahead;

	while (block) {
		uint64_t offset = block - at->address - PYMALLOC_POOL_HEAD_BYTES;
		uint32_t i = offset / p->block_bytes;

		if (offset >= (uint64_t)touched * p->block_bytes || offset % p->block_bytes ||
		    p->free_bits[i / 64] >> (i % 64) & 1)
			return -EBADMSG;
		p->free_bits[i / 64] |= 1ull << (i % 64);
		listed++;
		last = i;
		block = word_at(bytes, PYMALLOC_POOL_HEAD_BYTES + offset);
	}
	/* Its count rises before its list loses a block, and falls after that gets one. */
	ahead = listed + p->live - touched;
	if (ahead > 1)
		return -EBADMSG;
	p->live -= ahead;
	/* The list ends in the next one that is to be given out for the first time. */
	p->freed = listed - (last + 1 == touched);
	return 0;
}

int pymalloc_decode_pool(const uint8_t *bytes, const struct pymalloc_place *at,
			 struct pymalloc_pool *out)
{
	struct pymalloc_pool_head head = head_of(bytes);
	uint32_t size = (head.size_index + 1) * ALIGNMENT, next = head.next_offset, touched;
	int err;

	if (at->pool_bytes > PYMALLOC_MOST_POOL_BYTES || head.arena != at->arena ||
	    head.size_index >= PYMALLOC_POOL_CLASSES || head.last_offset != at->pool_bytes - size)
		return -EBADMSG;
	if (!head.blocks)
		return -ENOENT;
	if (next < PYMALLOC_POOL_HEAD_BYTES || next > at->pool_bytes ||
	    (next - PYMALLOC_POOL_HEAD_BYTES) % size)
		return -EBADMSG;
	touched = (next - PYMALLOC_POOL_HEAD_BYTES) / size;
	*out = (struct pymalloc_pool){ .block_bytes = size,
				       .live = head.blocks,
				       .count =
					       (at->pool_bytes - PYMALLOC_POOL_HEAD_BYTES) / size };
	err = mark_listed(bytes, at, touched, out);
	if (!err)
		mark_untouched(out, touched);
	return err;
}

bool pymalloc_is_same_pool(const uint8_t a[PYMALLOC_POOL_HEAD_BYTES],
			   const uint8_t b[PYMALLOC_POOL_HEAD_BYTES])
{
	struct pymalloc_pool_head one = head_of(a), other = head_of(b);

	return one.blocks == other.blocks && one.free_block == other.free_block &&
	       one.size_index == other.size_index && one.next_offset == other.next_offset;
}
