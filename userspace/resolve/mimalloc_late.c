/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/mimalloc_late.h"

#include <errno.h>
#include <string.h>

static size_t count_of(const struct buffer *b)
{
	return b->len / sizeof(uint64_t);
}

static int by_address(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return (one > other) - (one < other);
}

int mimalloc_late_add_heap(struct mimalloc_late *late, uint64_t heap)
{
	const uint64_t *known = (const uint64_t *)(void *)late->heaps.data;
	size_t count = count_of(&late->heaps);

	/* Pages beside each other are often of few heaps; all others are sorted out later. */
	for (size_t i = count; i-- > 0 && count - i <= 8;)
		if (known[i] == heap)
			return 0;
	if (heap)
		buffer_add(&late->heaps, &heap, sizeof(heap));
	return buffer_error(&late->heaps);
}

/* @at: where the list's first block is told. */
static int read_list(struct mimalloc_late *late, const struct target_reader *memory, uint64_t at)
{
	int err = memory->read(memory->ctx, at, &at, sizeof(at));

	while (!err && at) {
		if (count_of(&late->blocks) == MIMALLOC_MOST_LATE) {
			late->cut++;
			return 0;
		}
		buffer_add(&late->blocks, &at, sizeof(at));
		err = memory->read(memory->ctx, at, &at, sizeof(at));
	}
	if (err != -EFAULT)
		return err;
	late->changed++;
	return 0;
}

int mimalloc_late_read(struct mimalloc_late *late, enum mimalloc_version version,
		       const struct target_reader *memory)
{
	uint64_t *heaps = (uint64_t *)(void *)late->heaps.data;
	size_t count = count_of(&late->heaps);
	int err = 0;

	if (count)
		qsort(heaps, count, sizeof(*heaps), by_address);
	for (size_t i = 0; i < count && !err; i++)
		if (!i || heaps[i] != heaps[i - 1])
			err = read_list(late, memory, heaps[i] + mimalloc_heap_late(version));
	if (!err && late->blocks.len)
		qsort(late->blocks.data, count_of(&late->blocks), sizeof(uint64_t), by_address);
	return err ? err : buffer_error(&late->blocks);
}

static size_t first_from(const uint64_t *sorted, size_t count, uint64_t address)
{
	size_t from = 0;

	while (from < count) {
		size_t middle = from + (count - from) / 2;

		if (sorted[middle] < address)
			from = middle + 1;
		else
			count = middle;
	}
	return from;
}

void mimalloc_late_mark(const struct mimalloc_late *late, const struct mimalloc_page *page,
			uint64_t bits[MIMALLOC_PAGE_BITMAP_WORDS])
{
	const uint64_t *blocks = (const uint64_t *)(void *)late->blocks.data;
	uint64_t end = page->address + page->capacity * page->block_bytes;
	size_t count = count_of(&late->blocks);

	for (size_t i = first_from(blocks, count, page->address); i < count && blocks[i] < end; i++)
		mimalloc_mark_block(page, blocks[i], bits);
}
