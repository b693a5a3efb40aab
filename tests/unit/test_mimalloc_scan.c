/* SPDX-License-Identifier: Apache-2.0 */
/* A scan of segments that this process has, of objects whose types are in an image. */
#include "resolve/mimalloc_scan.h"

#include "heap_image.h"
#include "python/mimalloc_segment.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BLOCK 64u
#define BLOCKS 10u
#define TABLE 264u /* of mimalloc 2.1 */
#define STRIDE 80u
#define STRIDE_OF_DEBUG_BUILDS 96u
#define HEAP_LATE 2840u

#define CENSUS(name) __attribute__((cleanup(heap_census_cleanup))) struct heap_census name = { 0 }

/* --- a heap of this process --- */

struct heap {
	struct heap_image image;
	uint8_t *segment;
	uint8_t heap[HEAP_LATE + 8]; /* mi_heap_t */
	uint32_t stride, slices;     /* that are in use */
	uint64_t type;
};

static void put(uint8_t *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
}

static uint64_t address_of(const uint8_t *at)
{
	return (uintptr_t)at;
}

static uint8_t *make_segment(void)
{
	uint8_t *at = mmap(NULL, 2 * MIMALLOC_SEGMENT_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	cr_assert(at != MAP_FAILED);
	at += -(uintptr_t)at & (MIMALLOC_SEGMENT_BYTES - 1);
	at[24] = at[25] = 1;
	put(at + 216, address_of(at) ^ 0xf36c004adeadbeef);
	put(at + 224, 512);
	put(at + 232, 1);
	put(at + 248, 512);
	return at;
}

static struct heap *make_heap(uint32_t stride)
{
	struct heap *h = calloc(1, sizeof(*h));

	cr_assert(h != NULL);
	heap_image_begin(&h->image, 13);
	h->type = heap_image_add_type(
		&h->image, &(struct heap_image_type){ .name = "m.Seen", .basicsize = 32 });
	h->segment = make_segment();
	h->stride = stride;
	put(h->segment + TABLE, 1);
	h->slices = 1;
	return h;
}

static uint8_t *books_of(struct heap *h, uint32_t slice)
{
	return h->segment + TABLE + slice * h->stride;
}

static uint8_t *block_of(struct heap *h, uint32_t slice, uint32_t block)
{
	return h->segment + slice * MIMALLOC_SLICE_BYTES + 3 * BLOCK + block * BLOCK;
}

/* A page of BLOCKS objects in a slice of its own, whose number is returned. */
static uint32_t add_page(struct heap *h)
{
	uint8_t *books = books_of(h, h->slices);

	put(books, 1);
	put(books + 8, 7 | (uint64_t)BLOCKS << 16 | 1000ull << 32);
	put(books + 24, BLOCKS | (uint64_t)BLOCK << 32);
	put(books + 48, address_of(h->heap));
	put(h->segment + 208, h->slices);
	for (uint32_t i = 0; i < BLOCKS; i++) {
		put(block_of(h, h->slices, i), 1);
		put(block_of(h, h->slices, i) + 8, h->type);
	}
	put(books + h->stride, 511 - h->slices); /* what is behind it is free */
	return h->slices++;
}

/* Puts @block on the page's list of free blocks. */
static void free_block(struct heap *h, uint32_t slice, uint32_t block)
{
	uint8_t *books = books_of(h, slice);

	memcpy(block_of(h, slice, block), books + 16, 8);
	put(books + 16, address_of(block_of(h, slice, block)));
	books[24]--;
}

static int scan(struct heap *h, const atomic_bool *is_cancelled, struct heap_census *out,
		const char **why)
{
	struct heap_tally_facts facts = { .memory = image_reader(&h->image.image),
					  .in = &h->image.in };
	struct heap_scan_target target = { .pid = getpid(),
					   .in = &h->image.in,
					   .is_cancelled = is_cancelled };
	int err;
	OWNS(heap_tally) struct heap_tally *tally = heap_tally_new(&facts, &err);

	cr_assert(tally != NULL);
	err = mimalloc_scan(&target, tally, out, why);
	return err ? err : heap_tally_finish(tally, out);
}

/* --- */

Test(mimalloc_scan, counts_what_is_not_on_a_list)
{
	OWNS_MEM struct heap *h = make_heap(STRIDE);
	uint32_t first = add_page(h), second = add_page(h);
	const char *why = NULL;
	CENSUS(c);

	free_block(h, first, 0);
	free_block(h, first, 9);
	put(h->heap + HEAP_LATE, address_of(block_of(h, second, 5))); /* another thread freed it */
	put(block_of(h, second, 5), 0);
	cr_assert(eq(int, scan(h, NULL, &c, &why), 0));
	cr_assert(eq(u32, c.type_count, 1));
	cr_assert(eq(str, c.types[0].name, "Seen"));
	cr_assert(eq(u64, c.types[0].objects, 2 * BLOCKS - 3));
	cr_assert(eq(u64, c.types[0].bytes, (2 * BLOCKS - 3) * BLOCK));
	cr_assert(eq(u64, c.live_blocks, 2 * BLOCKS - 3));
	cr_assert(eq(u64, c.explained_bytes, c.live_bytes));
	cr_assert(eq(u64, c.arenas, 1));
	cr_assert(eq(u64, c.pools, 2));
	cr_assert(eq(u64, c.pools_changed + c.pools_damaged + c.pools_unreadable, 0));
	cr_assert(eq(u32, c.size_count, 1));
	cr_assert(eq(u64, c.sizes[0].size, BLOCK));
	cr_assert(eq(u64, c.sizes[0].blocks, 2 * BLOCKS - 3));
	cr_assert(eq(u64, c.sizes[0].free_blocks, 2000 - (2 * BLOCKS - 3)));
}

Test(mimalloc_scan, page_whose_list_comes_back_is_counted_as_damaged)
{
	OWNS_MEM struct heap *h = make_heap(STRIDE);
	uint32_t first = add_page(h), second = add_page(h);
	const char *why = NULL;
	CENSUS(c);

	free_block(h, first, 1);
	put(block_of(h, first, 1), address_of(block_of(h, first, 1)));
	free_block(h, second, 1);
	cr_assert(eq(int, scan(h, NULL, &c, &why), 0));
	cr_assert(eq(u64, c.types[0].objects, BLOCKS - 1));
	cr_assert(eq(u64, c.pools_damaged, 1));
	cr_assert(eq(u64, c.pools, 1));
}

Test(mimalloc_scan, books_of_another_layout_are_refused)
{
	OWNS_MEM struct heap *h = make_heap(STRIDE_OF_DEBUG_BUILDS);
	const char *why = NULL;
	CENSUS(c);

	add_page(h);
	cr_assert(eq(int, scan(h, NULL, &c, &why), -ENOTSUP));
	cr_assert(why != NULL);
}

Test(mimalloc_scan, process_without_a_segment_is_refused)
{
	OWNS_MEM struct heap *h = make_heap(STRIDE);
	const char *why = NULL;
	CENSUS(c);

	cr_assert(eq(int, scan(h, NULL, &c, &why), -ENOTSUP)); /* no page of it is in use */
	cr_assert(why != NULL);
}

Test(mimalloc_scan, can_be_cancelled)
{
	OWNS_MEM struct heap *h = make_heap(STRIDE);
	const atomic_bool is_cancelled = true;
	const char *why = NULL;
	CENSUS(c);

	add_page(h);
	cr_assert(eq(int, scan(h, &is_cancelled, &c, &why), -ECANCELED));
}
