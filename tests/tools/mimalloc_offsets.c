/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds python/mimalloc_* against the headers of one CPython: fills its own structures, and prints
 * what our readers take for something else. test_pylayout.py compiles it.
 */
#define Py_BUILD_CORE 1
#include <Python.h>
#include <internal/pycore_mimalloc.h>

#include "python/mimalloc_page.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define SEGMENT 0x20002000000ull
#define SLICE 9u
#define START (SEGMENT + SLICE * 65536ull)

#ifdef Py_GIL_DISABLED
#define IS_FREE_THREADED true
#else
#define IS_FREE_THREADED false
#endif

#ifdef MI_MAX_SLICE_OFFSET /* mimalloc 2.5 has it no more */
#define VERSION MIMALLOC_2_1
#else
#define VERSION MIMALLOC_2_5
#endif

static int wrong;

static void expect(const char *what, uint64_t ours, uint64_t theirs)
{
	if (ours == theirs)
		return;
	printf("%s is %#llx, not %#llx\n", what, (unsigned long long)theirs,
	       (unsigned long long)ours);
	wrong = 1;
}

static mi_segment_t theirs;

static void check_segment(struct mimalloc_segment *ours)
{
	theirs.allow_decommit = theirs.allow_purge = true;
	theirs.used = 3;
	theirs.abandoned = 2;
	theirs.cookie = SEGMENT ^ 0x1234;
	theirs.segment_slices = theirs.slice_entries = MI_SLICES_PER_SEGMENT;
	theirs.segment_info_slices = 1;
	theirs.kind = MI_SEGMENT_NORMAL;
	expect("segment", mimalloc_decode_segment((const uint8_t *)&theirs, SEGMENT, ours), 0);
	expect("segment's size", ours->bytes, MI_SEGMENT_SIZE);
	expect("key", ours->key, 0x1234);
	expect("version", ours->version, VERSION);
	expect("table", ours->table, offsetof(mi_segment_t, slices));
	expect("end", ours->end, MI_SLICES_PER_SEGMENT);
	expect("stride", mimalloc_stride(ours->version, IS_FREE_THREADED), sizeof(mi_page_t));
	expect("late blocks", mimalloc_heap_late(ours->version),
	       offsetof(struct mi_heap_s, thread_delayed_free));
}

static void fill_page(mi_page_t *page)
{
	page->slice_count = 2;
	page->capacity = 5;
	page->reserved = 9;
	page->free = (mi_block_t *)(START + 2048);
	page->local_free = (mi_block_t *)(START + 4096);
	page->used = 3;
	*(uint64_t *)(void *)&page->xthread_free = (START + 6144) | MI_NO_DELAYED_FREE;
	*(uint64_t *)(void *)&page->xheap = 0x7f0000001000;
#ifdef MI_MAX_SLICE_OFFSET
	page->xblock_size = 2048;
	page->tag = _Py_MIMALLOC_HEAP_GC_PRE;
	page->is_committed = page->is_zero_init = page->use_qsbr = 1;
#else
	page->block_size = 2048;
	page->page_start = (uint8_t *)START;
	page->heap_tag = _Py_MIMALLOC_HEAP_GC_PRE;
	page->is_committed = page->is_zero_init = 1;
#endif
}

static void check_page(const struct mimalloc_segment *segment)
{
	mi_page_t *page = &theirs.slices[SLICE];
	struct mimalloc_page ours;

	fill_page(page);
	expect("page", mimalloc_decode_page((const uint8_t *)page, segment, SLICE, &ours), 0);
	expect("address", ours.address, START);
	expect("block", ours.block_bytes, 2048);
	expect("capacity", ours.capacity, 5);
	expect("reserved", ours.reserved, 9);
	expect("used", ours.used, 3);
	expect("free", ours.free, START + 2048);
	expect("local_free", ours.local_free, START + 4096);
	expect("thread_free", ours.thread_free, START + 6144);
	expect("heap", ours.heap, 0x7f0000001000);
	expect("tag", ours.tag, MIMALLOC_TAG_GC_PRE);
}

int main(void)
{
	struct mimalloc_segment segment;

	check_segment(&segment);
	check_page(&segment);
	return wrong;
}
