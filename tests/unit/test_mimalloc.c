/* SPDX-License-Identifier: Apache-2.0 */
/* The books of mimalloc's segments and pages, and the sizes of its blocks. */
#include "python/mimalloc_free.h"
#include "python/mimalloc_size.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

#define SEGMENT 0x20002000000ull
#define KEY 0xf36c004adeadbeefull
#define MIB 1048576ull

/* mi_segment_t of a version: where its fields are. */
static const struct fields {
	size_t abandoned, used, cookie, slices, info, kind, entries;
	uint32_t table;
} fields_of[] = {
	[MIMALLOC_2_1] = { 192, 208, 216, 224, 232, 240, 248, 264 },
	[MIMALLOC_2_5] = { 200, 216, 224, 248, 256, 264, 272, 288 },
};

static void put(uint8_t *bytes, size_t at, uint64_t value)
{
	memcpy(bytes + at, &value, sizeof(value));
}

static void put32(uint8_t *bytes, size_t at, uint32_t value)
{
	memcpy(bytes + at, &value, sizeof(value));
}

static void put16(uint8_t *bytes, size_t at, uint16_t value)
{
	memcpy(bytes + at, &value, sizeof(value));
}

/* --- segments --- */

static void fill_segment(uint8_t *head, enum mimalloc_version version)
{
	const struct fields *at = &fields_of[version];

	memset(head, 0, MIMALLOC_SEGMENT_HEAD_BYTES);
	head[24] = head[25] = 1;
	put(head, at->used, 3);
	put(head, at->cookie, SEGMENT ^ KEY);
	put(head, at->slices, 512);
	put(head, at->info, 1);
	put(head, at->entries, 512);
}

Test(mimalloc, segment_of_either_version_is_told_by_what_fits)
{
	for (int version = MIMALLOC_2_1; version <= MIMALLOC_2_5; version++) {
		uint8_t head[MIMALLOC_SEGMENT_HEAD_BYTES];
		struct mimalloc_segment s;

		fill_segment(head, version);
		cr_assert(eq(int, mimalloc_decode_segment(head, SEGMENT, &s), 0));
		cr_assert(eq(int, s.version, version));
		cr_assert(eq(u64, s.address, SEGMENT));
		cr_assert(eq(u64, s.bytes, 32 * MIB));
		cr_assert(eq(u64, s.key, KEY));
		cr_assert(eq(u32, s.table, fields_of[version].table));
		cr_assert(eq(u32, s.first, 1));
		cr_assert(eq(u32, s.end, 512));
	}
}

Test(mimalloc, huge_segment_is_as_long_as_its_block)
{
	static const struct {
		uint64_t slices, entries;
		int err;
	} rows[] = {
		{ 641, 512, 0 },
		{ 321, 321, 0 },
		{ 2, 2, 0 },
		{ 1, 1, -ENOENT },
		{ 641, 641, -ENOENT },
		{ 321, 512, -ENOENT },
		{ 1ull << 32, 512, -ENOENT },
		{ UINT64_MAX, 512, -ENOENT },
	};

	for (int version = MIMALLOC_2_1; version <= MIMALLOC_2_5; version++) {
		const struct fields *at = &fields_of[version];

		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			uint8_t head[MIMALLOC_SEGMENT_HEAD_BYTES];
			struct mimalloc_segment s;

			fill_segment(head, version);
			put32(head, at->kind, 1);
			put(head, at->slices, rows[i].slices);
			put(head, at->entries, rows[i].entries);
			cr_assert(eq(int, mimalloc_decode_segment(head, SEGMENT, &s), rows[i].err),
				  "row %zu", i);
			if (!rows[i].err)
				cr_assert(eq(u64, s.bytes, rows[i].slices * 65536), "row %zu", i);
		}
	}
}

Test(mimalloc, what_is_no_segment_is_refused)
{
	/* Of version 2.1: a word of the head that cannot be. */
	static const struct {
		size_t at;
		uint64_t value;
	} rows[] = {
		{ 208, 0 }, /* a segment that was given back */
		{ 208, 513 }, { 192, 4 },   { 24, 2 },	  { 24, 0x201 }, { 232, 0 },
		{ 232, 3 },   { 224, 511 }, { 248, 511 }, { 240, 2 },
	};
	uint8_t head[MIMALLOC_SEGMENT_HEAD_BYTES];
	struct mimalloc_segment s;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fill_segment(head, MIMALLOC_2_1);
		put(head, rows[i].at, rows[i].value);
		cr_assert(eq(int, mimalloc_decode_segment(head, SEGMENT, &s), -ENOENT), "row %zu",
			  i);
	}
	fill_segment(head, MIMALLOC_2_1);
	cr_assert(eq(int, mimalloc_decode_segment(head, SEGMENT + 4096, &s), -ENOENT));
}

Test(mimalloc, slices_are_passed_over_by_their_counts_and_never_beyond_the_table)
{
	static const struct {
		uint32_t count, slice, next;
	} rows[] = {
		{ 1, 1, 2 },
		{ 8, 1, 9 },
		{ 0, 5, 6 },
		{ 511, 1, 512 },
		{ 512, 1, 512 },
		{ UINT32_MAX, 1, 512 },
		{ UINT32_MAX, 511, 512 },
	};
	static uint8_t table[512 * 96];
	struct mimalloc_segment s = { .first = 1, .end = 512 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put32(table, rows[i].slice * 96ul, rows[i].count);
		cr_assert(eq(u32, mimalloc_next_slice(&s, table, 96, rows[i].slice), rows[i].next),
			  "row %zu", i);
	}
}

/* --- pages --- */

struct books {
	uint32_t slices, offset;
	uint64_t block;
	uint32_t used;
	uint16_t capacity, reserved;
	uint8_t tag;
	uint64_t free, local_free, thread_free;
};

/* @start: of the blocks. */
static void fill_page(uint8_t *bytes, enum mimalloc_version version, const struct books *b,
		      uint64_t start)
{
	memset(bytes, 0, MIMALLOC_PAGE_BYTES);
	put32(bytes, 0, b->slices);
	put32(bytes, 4, b->offset);
	put16(bytes, 10, b->capacity);
	put16(bytes, 12, b->reserved);
	put(bytes, 16, b->free);
	if (version == MIMALLOC_2_1) {
		bytes[8] = (uint8_t)(7 | b->tag << 3);
		put32(bytes, 24, b->used);
		put32(bytes, 28, (uint32_t)b->block);
		put(bytes, 32, b->local_free);
		put(bytes, 40, b->thread_free);
		put(bytes, 48, 0x7f0000001000);
		return;
	}
	bytes[8] = 3;
	put(bytes, 24, b->local_free);
	put16(bytes, 32, (uint16_t)b->used);
	bytes[35] = b->tag;
	put(bytes, 40, b->block);
	put(bytes, 48, start);
	put(bytes, 56, b->thread_free);
	put(bytes, 64, 0x7f0000001000);
}

static const struct mimalloc_segment segments[] = {
	[MIMALLOC_2_1] = { .address = SEGMENT,
			   .bytes = 32 * MIB,
			   .version = MIMALLOC_2_1,
			   .first = 1,
			   .end = 512 },
	[MIMALLOC_2_5] = { .address = SEGMENT,
			   .bytes = 32 * MIB,
			   .version = MIMALLOC_2_5,
			   .first = 1,
			   .end = 512 },
};

#define SLICE 7u
#define SLICE_AT (SEGMENT + SLICE * 65536ull)

Test(mimalloc, page_of_either_version_is_its_blocks)
{
	/* Where 2.1 begins its blocks; 2.5 says it. */
	static const struct {
		uint32_t slices;
		uint64_t block, start;
		uint16_t reserved;
	} rows[] = {
		{ 1, 8, 24, 8189 },	    { 1, 48, 144, 1362 }, { 1, 64, 192, 1021 },
		{ 1, 80, 80, 818 },	    { 1, 512, 512, 127 }, { 1, 640, 0, 102 },
		{ 1, 16384, 0, 4 },	    { 8, 20480, 0, 25 },  { 8, 524288, 0, 1 },
		{ 160, 160 * 65536, 0, 1 },
	};

	for (int version = MIMALLOC_2_1; version <= MIMALLOC_2_5; version++)
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			struct books b = { .slices = rows[i].slices,
					   .block = rows[i].block,
					   .capacity = rows[i].reserved,
					   .reserved = rows[i].reserved,
					   .used = 1,
					   .tag = MIMALLOC_TAG_GC_PRE,
					   .thread_free = SLICE_AT | 2 };
			uint8_t bytes[MIMALLOC_PAGE_BYTES];
			struct mimalloc_page p;

			fill_page(bytes, version, &b, SLICE_AT + rows[i].start);
			cr_assert(eq(int,
				     mimalloc_decode_page(bytes, &segments[version], SLICE, &p), 0),
				  "row %zu", i);
			cr_assert(eq(u64, p.address, SLICE_AT + rows[i].start), "row %zu", i);
			cr_assert(eq(u64, p.block_bytes, rows[i].block), "row %zu", i);
			cr_assert(eq(u64, p.thread_free, SLICE_AT), "row %zu", i);
			cr_assert(eq(u64, p.heap, 0x7f0000001000), "row %zu", i);
			cr_assert(eq(u32, p.used, 1), "row %zu", i);
			cr_assert(eq(u16, p.capacity, rows[i].reserved), "row %zu", i);
			cr_assert(eq(u8, p.tag, MIMALLOC_TAG_GC_PRE), "row %zu", i);
		}
}

Test(mimalloc, page_whose_books_cannot_be_is_refused)
{
	static const struct {
		struct books books;
		int err;
	} rows[] = {
		{ { .slices = 0, .block = 64, .reserved = 9 }, -ENOENT },
		{ { .slices = 1, .offset = 96, .block = 64, .reserved = 9 }, -ENOENT },
		{ { .slices = 1, .block = 65536, .reserved = 0 }, -ENOENT },
		{ { .slices = 1, .block = 0, .reserved = 9 }, -ENOENT },
		{ { .slices = 1, .block = 4, .reserved = 9 }, -EBADMSG },
		{ { .slices = 1, .block = 65, .reserved = 9 }, -EBADMSG },
		{ { .slices = 1, .block = 640, .reserved = 103 }, -EBADMSG },
		{ { .slices = 1, .block = 640, .reserved = 9, .capacity = 10 }, -EBADMSG },
		{ { .slices = 1, .block = 640, .reserved = 9, .capacity = 9, .used = 10 },
		  -EBADMSG },
		{ { .slices = 9, .block = 640, .reserved = 9, .capacity = 9 }, -EBADMSG },
		{ { .slices = 32, .block = 20480, .reserved = 33, .capacity = 9 }, -EBADMSG },
		{ { .slices = 506, .block = 1 << 20, .reserved = 1 }, -EBADMSG }, /* one too many */
		{ { .slices = UINT32_MAX, .block = 1 << 20, .reserved = 1 }, -EBADMSG },
	};

	for (int version = MIMALLOC_2_1; version <= MIMALLOC_2_5; version++)
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			uint8_t bytes[MIMALLOC_PAGE_BYTES];
			struct mimalloc_page p;

			fill_page(bytes, version, &rows[i].books, SLICE_AT);
			cr_assert(eq(int,
				     mimalloc_decode_page(bytes, &segments[version], SLICE, &p),
				     rows[i].err),
				  "version %d row %zu", version, i);
		}
}

Test(mimalloc, page_that_begins_elsewhere_is_refused)
{
	static const uint64_t starts[] = { 0, SEGMENT, SLICE_AT - 8, SLICE_AT + 65544, UINT64_MAX };
	struct books b = { .slices = 1, .block = 640, .reserved = 9 };

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		uint8_t bytes[MIMALLOC_PAGE_BYTES];
		struct mimalloc_page p;

		fill_page(bytes, MIMALLOC_2_5, &b, starts[i]);
		cr_assert(eq(int, mimalloc_decode_page(bytes, &segments[MIMALLOC_2_5], SLICE, &p),
			     -EBADMSG),
			  "row %zu", i);
	}
}

/* --- free blocks --- */

#define BLOCKS 100
#define BLOCK 48

struct page {
	struct mimalloc_page books;
	uint8_t bytes[BLOCKS * BLOCK];
	uint64_t bits[MIMALLOC_PAGE_BITMAP_WORDS];
};

static uint64_t block_at(uint32_t index)
{
	return SLICE_AT + index * (uint64_t)BLOCK;
}

static void link_block(struct page *p, uint32_t from, uint64_t next)
{
	put(p->bytes, from * (size_t)BLOCK, next);
}

static void begin_page(struct page *p, uint32_t used)
{
	*p = (struct page){ .books = { .address = SLICE_AT,
				       .block_bytes = BLOCK,
				       .used = used,
				       .capacity = BLOCKS,
				       .reserved = BLOCKS } };
}

static int mark(struct page *p)
{
	struct mimalloc_copies copies = { .bytes = p->bytes, .stride = BLOCK };

	return mimalloc_mark_free(&p->books, &copies, p->bits);
}

Test(mimalloc, free_blocks_are_on_three_lists)
{
	struct page p;

	begin_page(&p, 97);
	p.books.free = block_at(0);
	link_block(&p, 0, block_at(99));
	p.books.local_free = block_at(64);
	p.books.thread_free = block_at(63); /* in use for the page's own thread */
	link_block(&p, 63, block_at(1));
	cr_assert(eq(int, mark(&p), 0));
	cr_assert(eq(u64, p.bits[0], 1ull << 63 | 3));
	cr_assert(eq(u64, p.bits[1], 1ull << 35 | 1));
}

Test(mimalloc, full_page_has_no_list)
{
	struct page p;

	begin_page(&p, BLOCKS);
	cr_assert(eq(int, mark(&p), 0));
	cr_assert(eq(u64, p.bits[0] | p.bits[1], 0));
}

Test(mimalloc, lists_that_cannot_be_are_refused)
{
	static const struct {
		uint32_t used;
		uint64_t next; /* of block 3, the first of the list */
	} rows[] = {
		{ 98, SLICE_AT + 3 * BLOCK },	   /* itself */
		{ 98, SLICE_AT + 4 * BLOCK + 8 },  /* within a block */
		{ 98, SLICE_AT + BLOCKS * BLOCK }, /* behind the last */
		{ 98, SLICE_AT - BLOCK },
		{ 98, 8 },
		{ 98, UINT64_MAX },
		{ 98, 0 },	  /* one is missing */
		{ 99, SLICE_AT }, /* one too many */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct page p;

		begin_page(&p, rows[i].used);
		p.books.free = block_at(3);
		link_block(&p, 3, rows[i].next);
		cr_assert(eq(int, mark(&p), -EBADMSG), "row %zu", i);
		cr_assert(ne(u64, p.bits[0] & 8, 0), "row %zu", i);
	}
}

Test(mimalloc, list_that_comes_back_ends)
{
	struct page p;

	begin_page(&p, 0);
	for (uint32_t i = 0; i < BLOCKS; i++)
		link_block(&p, i, block_at((i + 1) % BLOCKS));
	p.books.free = block_at(0);
	cr_assert(eq(int, mark(&p), -EBADMSG));
	begin_page(&p, BLOCKS);
	link_block(&p, 5, block_at(5));
	p.books.thread_free = block_at(5);
	cr_assert(eq(int, mark(&p), -EBADMSG));
}

/* A page that changed while it was copied: what is used must not be taken for free. */
Test(mimalloc, no_more_blocks_are_free_than_the_page_says)
{
	struct page p;

	begin_page(&p, 98);
	for (uint32_t i = 0; i < BLOCKS; i++)
		link_block(&p, i, block_at(i + 1));
	p.books.free = block_at(0);
	cr_assert(eq(int, mark(&p), -EBADMSG));
	cr_assert(eq(u64, p.bits[0], 3));
	cr_assert(eq(u64, p.bits[1], 0));
}

/* --- sizes --- */

/* As both versions were seen to give. */
Test(mimalloc, blocks_have_a_size_of_few)
{
	static const struct {
		uint64_t asked, v2_1, v2_5;
	} rows[] = {
		{ 0, 8, 8 },
		{ 8, 8, 8 },
		{ 9, 16, 16 },
		{ 24, 32, 32 },
		{ 63, 64, 64 },
		{ 65, 80, 80 },
		{ 120, 128, 128 },
		{ 129, 160, 160 },
		{ 208, 224, 224 },
		{ 513, 640, 640 },
		{ 4097, 5120, 5120 },
		{ 17033, 20480, 20480 },
		{ 65536, 65536, 65536 },
		{ 66033, 81920, 69632 },
		{ 120033, 131072, 122880 },
		{ 132033, 196608, 135168 },
		{ 200033, 262144, 200704 },
		{ 500033, 524288, 503808 },
		{ 530033, 1048576, 589824 },
		{ 1100033, 1572864, 1114112 },
		{ 3000033, 3145728, 3145728 },
		{ 7000033, 7340032, 7077888 },
		{ 17000033, 17825792, 17825792 },
		{ 40000033, 41943040, 41943040 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cr_assert(eq(u64, mimalloc_2_1_block_bytes(rows[i].asked), rows[i].v2_1), "row %zu",
			  i);
		cr_assert(eq(u64, mimalloc_2_5_block_bytes(rows[i].asked), rows[i].v2_5), "row %zu",
			  i);
	}
}
