/* SPDX-License-Identifier: Apache-2.0 */
#include "python/mimalloc_free.h"

#include <errno.h>
#include <string.h>

int mimalloc_mark_block(const struct mimalloc_page *page, uint64_t address,
			uint64_t bits[MIMALLOC_PAGE_BITMAP_WORDS])
{
	uint64_t index = (address - page->address) / page->block_bytes;
	uint64_t bit = 1ull << index % 64;

	if (index >= page->capacity || (address - page->address) % page->block_bytes)
		return -EBADMSG;
	if (bits[index / 64] & bit)
		return -EEXIST;
	bits[index / 64] |= bit;
	return 0;
}

/* A list of free blocks, and how many there can be in it at the most. */
struct list {
	uint64_t first;
	uint32_t most;
};

/* How many blocks the list has; -EBADMSG. */
static int mark_list(const struct mimalloc_page *page, const struct mimalloc_copies *blocks,
		     struct list list, uint64_t *bits)
{
	uint32_t count = 0;

	for (uint64_t at = list.first; at; count++) {
		uint64_t index = (at - page->address) / page->block_bytes;

		if (count == list.most || mimalloc_mark_block(page, at, bits))
			return -EBADMSG;
		memcpy(&at, blocks->bytes + index * blocks->stride, sizeof(at));
	}
	return (int)count;
}

int mimalloc_mark_free(const struct mimalloc_page *page, const struct mimalloc_copies *blocks,
		       uint64_t bits[MIMALLOC_PAGE_BITMAP_WORDS])
{
	uint32_t most = page->capacity - page->used;
	int free = mark_list(page, blocks, (struct list){ page->free, most }, bits);
	int local = mark_list(page, blocks, (struct list){ page->local_free, most }, bits);
	int late = mark_list(page, blocks, (struct list){ page->thread_free, page->used }, bits);

	return free < 0 || local < 0 || late < 0 || (uint32_t)(free + local) != most ? -EBADMSG : 0;
}
