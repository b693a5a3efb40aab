/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_reader - a reader that keeps the pages it read, for as long as it lives: many small
 * objects lie in one. What it says may be as old as it is.
 */
#ifndef SPPROF_PAGE_READER_H
#define SPPROF_PAGE_READER_H

#include "resolve/target_memory.h"

#define PAGE_READER_BYTES 4096
#define PAGE_READER_PAGES 64

struct page_reader {
	struct target_reader from;
	uint64_t starts[PAGE_READER_PAGES]; /* plus 1; 0: not read */
	uint8_t pages[PAGE_READER_PAGES][PAGE_READER_BYTES];
};

/* An empty one; free() it. NULL when out of memory. */
struct page_reader *page_reader_new(const struct target_reader *from);

/* To read through it. */
struct target_reader page_reader_as_reader(struct page_reader *p);

#endif
