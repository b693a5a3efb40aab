/* SPDX-License-Identifier: Apache-2.0 */
/* Segments are found by what memory holds, here in this process; late blocks by their heaps. */
#include "resolve/mimalloc_late.h"
#include "resolve/mimalloc_segments.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KEY 0xf36c004adeadbeefull
#define MOST 8

/* --- in memory --- */

static void put(uint8_t *bytes, size_t at, uint64_t value)
{
	memcpy(bytes + at, &value, sizeof(value));
}

/* What mimalloc 2.1 writes at the beginning of a segment. */
static void write_segment(uint8_t *at, uint64_t used, uint64_t key)
{
	at[24] = at[25] = 1;
	put(at, 208, used);
	put(at, 216, (uint64_t)(uintptr_t)at ^ key);
	put(at, 224, 512);
	put(at, 232, 1);
	put(at, 248, 512);
}

/* Room for @count segments, never touched. */
static uint8_t *reserve(size_t count)
{
	size_t bytes = (count + 1) * MIMALLOC_SEGMENT_BYTES;
	uint8_t *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	cr_assert(at != MAP_FAILED);
	return at + (-(uintptr_t)at & (MIMALLOC_SEGMENT_BYTES - 1));
}

static bool is_resident(uint8_t *at)
{
	unsigned char is = 0;

	cr_assert(eq(int, mincore(at, 4096, &is), 0));
	return is & 1;
}

Test(mimalloc_segments, those_in_use_are_found_and_what_was_never_touched_stays_so)
{
	OWNS(mimalloc_segments) struct mimalloc_segments found = { .count = 0 };
	uint8_t *at = reserve(5);

	write_segment(at, 3, KEY);
	write_segment(at + MIMALLOC_SEGMENT_BYTES, 0, KEY); /* was given back */
	write_segment(at + 2 * MIMALLOC_SEGMENT_BYTES, 1, KEY);
	write_segment(at + 3 * MIMALLOC_SEGMENT_BYTES, 1, ~KEY); /* another mimalloc's */
	cr_assert(eq(int, mimalloc_segments_find(getpid(), NULL, &found), 0));
	cr_assert(eq(sz, found.count, 2));
	cr_assert(eq(u64, found.all[0].address, (uintptr_t)at));
	cr_assert(eq(u64, found.all[1].address, (uintptr_t)at + 2 * MIMALLOC_SEGMENT_BYTES));
	cr_assert(eq(u64, found.all[0].key, KEY));
	cr_assert(eq(sz, found.left_out, 0));
	cr_assert(not(is_resident(at + 4 * MIMALLOC_SEGMENT_BYTES)));
}

Test(mimalloc_segments, shadow_of_a_sanitizer_is_not_searched)
{
	OWNS(mimalloc_segments) struct mimalloc_segments found = { .count = 0 };

	write_segment(reserve(MIMALLOC_MOST_SEGMENTS), 1, KEY);
	cr_assert(eq(int, mimalloc_segments_find(getpid(), NULL, &found), 0));
	cr_expect(eq(sz, found.count, 0));
}

Test(mimalloc_segments, search_can_be_cancelled)
{
	OWNS(mimalloc_segments) struct mimalloc_segments found = { .count = 0 };
	const atomic_bool is_cancelled = true;

	write_segment(reserve(1), 3, KEY);
	cr_assert(eq(int, mimalloc_segments_find(getpid(), &is_cancelled, &found), -ECANCELED));
	cr_assert(eq(sz, found.count, 0));
}

Test(mimalloc_segments, most_agree_and_what_lies_in_one_is_none)
{
	static const struct {
		struct mimalloc_segment all[MOST];
		size_t count, left;
	} rows[] = {
		{ .count = 0, .left = 0 },
		{ { { .address = 1, .bytes = 1, .key = 7 } }, 1, 1 },
		{ { { .address = 1, .bytes = 1, .key = 7 },
		    { .address = 2, .bytes = 1, .key = 8 },
		    { .address = 3, .bytes = 1, .key = 7 } },
		  3,
		  2 },
		{ { { .address = 1, .bytes = 1, .key = 7 },
		    { .address = 2, .bytes = 1, .key = 7, .version = MIMALLOC_2_5 },
		    { .address = 3, .bytes = 1, .key = 7, .version = MIMALLOC_2_5 } },
		  3,
		  2 },
		{ { { .address = 1, .bytes = 3, .key = 7 },
		    { .address = 2, .bytes = 9, .key = 7 },
		    { .address = 4, .bytes = 1, .key = 7 } },
		  3,
		  2 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct mimalloc_segment all[MOST];

		memcpy(all, rows[i].all, sizeof(all));
		cr_assert(eq(sz, mimalloc_segments_agree(all, rows[i].count), rows[i].left),
			  "row %zu", i);
	}
}

/* --- late blocks --- */

#define IMAGE 0x10000u
#define PAGE (IMAGE + 2048)
#define BLOCK 64

struct image {
	uint8_t bytes[8192];
};

static int read_image(void *ctx, uint64_t addr, void *dst, size_t len)
{
	struct image *image = ctx;

	if (addr < IMAGE || addr - IMAGE > sizeof(image->bytes) - len)
		return -EFAULT;
	memcpy(dst, image->bytes + (addr - IMAGE), len);
	return 0;
}

static void link_block(struct image *image, uint64_t from, uint64_t next)
{
	put(image->bytes, from - IMAGE, next);
}

/* The bits of a page of 64 blocks after the heap at IMAGE was read. */
static uint64_t late_bits(struct image *image, uint64_t first, struct mimalloc_late *said)
{
	OWNS(mimalloc_late) struct mimalloc_late late = { .cut = 0 };
	struct target_reader reader = { .read = read_image, .ctx = image };
	struct mimalloc_page page = { .address = PAGE, .block_bytes = BLOCK, .capacity = 64 };
	uint64_t bits[MIMALLOC_PAGE_BITMAP_WORDS] = { 0 };

	link_block(image, IMAGE + mimalloc_heap_late(MIMALLOC_2_5), first);
	cr_assert(eq(int, mimalloc_late_add_heap(&late, 0), 0));
	for (int i = 0; i < 3; i++)
		cr_assert(eq(int, mimalloc_late_add_heap(&late, IMAGE), 0));
	cr_assert(eq(int, mimalloc_late_read(&late, MIMALLOC_2_5, &reader), 0));
	mimalloc_late_mark(&late, &page, bits);
	*said = (struct mimalloc_late){ .cut = late.cut, .changed = late.changed };
	return bits[0];
}

Test(mimalloc_late, blocks_of_a_heap_are_marked_in_their_page)
{
	struct image image = { 0 };
	struct mimalloc_late said;

	link_block(&image, PAGE + 63 * BLOCK, PAGE + 64 * BLOCK); /* the next page's */
	link_block(&image, PAGE + 64 * BLOCK, PAGE - BLOCK);
	link_block(&image, PAGE - BLOCK, PAGE);
	cr_assert(eq(u64, late_bits(&image, PAGE + 63 * BLOCK, &said), 1ull << 63 | 1));
	cr_assert(eq(sz, said.cut + said.changed, 0));
	cr_assert(eq(u64, late_bits(&image, 0, &said), 0));
}

Test(mimalloc_late, list_that_leads_nowhere_has_changed)
{
	struct image image = { 0 };
	struct mimalloc_late said;

	link_block(&image, PAGE + BLOCK, 8);
	cr_assert(eq(u64, late_bits(&image, PAGE + BLOCK, &said), 2));
	cr_assert(eq(sz, said.changed, 1));
}

Test(mimalloc_late, list_that_comes_back_ends)
{
	struct image image = { 0 };
	struct mimalloc_late said;

	link_block(&image, PAGE, PAGE + BLOCK);
	link_block(&image, PAGE + BLOCK, PAGE);
	cr_assert(eq(u64, late_bits(&image, PAGE, &said), 3));
	cr_assert(eq(sz, said.cut, 1));
}
