/* SPDX-License-Identifier: Apache-2.0 */
/* Any books of mimalloc end, and lead to blocks within their segment only. */
#include "python/mimalloc_free.h"
#include "python/mimalloc_size.h"

#include <stdlib.h>
#include <string.h>

#define SEGMENT 0x20002000000ull
#define MOST_BLOCKS 512u /* that are copied: a real page of one slice has more */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

struct input {
	uint8_t head[MIMALLOC_SEGMENT_HEAD_BYTES];
	uint8_t page[MIMALLOC_PAGE_BYTES];
	uint32_t slice;
	uint32_t
		step; /* 0: addresses are as in the input; else links of @blocks are block numbers */
	uint16_t blocks[MOST_BLOCKS];
};

static void expect(int is_so)
{
	if (!is_so)
		abort();
}

static void walk_slices(const struct mimalloc_segment *s, const struct input *in)
{
	static uint8_t table[MIMALLOC_MOST_SLICES * MIMALLOC_MOST_STRIDE];
	uint32_t stride = mimalloc_stride(s->version, in->step & 1), slice = s->first;

	expect(stride <= MIMALLOC_MOST_STRIDE && s->end <= MIMALLOC_MOST_SLICES);
	expect(s->table <= MIMALLOC_SEGMENT_HEAD_BYTES && s->bytes);
	memcpy(table, in->blocks, sizeof(in->blocks));
	for (uint32_t i = 0; slice < s->end; i++) {
		uint32_t next = mimalloc_next_slice(s, table, stride, slice);

		expect(next > slice && next <= s->end && i < MIMALLOC_MOST_SLICES);
		slice = next;
	}
}

/* How many bits are set: none that has no block. */
static void expect_bits(const struct mimalloc_page *p, const uint64_t *bits)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < MIMALLOC_PAGE_BITMAP_WORDS; i++)
		count += (uint32_t)__builtin_popcountll(bits[i]);
	expect(count <= p->capacity);
	for (uint32_t i = p->capacity; i < MIMALLOC_PAGE_BITMAP_WORDS * 64; i++)
		expect(!(bits[i / 64] >> i % 64 & 1));
}

static void mark(const struct mimalloc_page *p, const struct input *in)
{
	static uint64_t words[MOST_BLOCKS];
	uint64_t bits[MIMALLOC_PAGE_BITMAP_WORDS] = { 0 };
	struct mimalloc_copies copies = { (const uint8_t *)words, sizeof(words[0]) };

	if (p->capacity > MOST_BLOCKS)
		return;
	for (uint32_t i = 0; i < MOST_BLOCKS; i++)
		words[i] = in->step ? p->address + in->blocks[i] * p->block_bytes : in->blocks[i];
	(void)mimalloc_mark_free(p, &copies, bits);
	expect_bits(p, bits);
	(void)mimalloc_mark_block(p, p->free + in->step, bits);
	expect_bits(p, bits);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct input in = { .slice = 0 };
	struct mimalloc_segment s;
	struct mimalloc_page p;
	uint64_t asked;

	memcpy(&in, data, len < sizeof(in) ? len : sizeof(in));
	memcpy(&asked, in.page, sizeof(asked));
	asked &= (1ull << 62) - 1;
	expect(mimalloc_2_1_block_bytes(asked) >= asked &&
	       mimalloc_2_5_block_bytes(asked) >= asked);
	if (mimalloc_decode_segment(in.head, SEGMENT, &s))
		return 0;
	walk_slices(&s, &in);
	if (in.slice < s.first || in.slice >= s.end ||
	    mimalloc_decode_page(in.page, &s, in.slice, &p))
		return 0;
	expect(p.address >= SEGMENT && p.block_bytes && p.capacity <= p.reserved);
	expect(p.address + p.reserved * p.block_bytes <= SEGMENT + s.bytes);
	if (p.block_bytes <= MIMALLOC_PAGE_SMALL_BLOCK)
		expect(p.capacity * p.block_bytes <=
		       MIMALLOC_PAGE_MOST_SLICES * (uint64_t)MIMALLOC_SLICE_BYTES);
	else
		expect(p.capacity <= MIMALLOC_PAGE_MOST_LARGE_BLOCKS);
	mark(&p, &in);
	return 0;
}
