/* SPDX-License-Identifier: Apache-2.0 */
/* heap_ranges - the parts of a process's memory that are scanned. */
#ifndef SPPROF_HEAP_RANGES_H
#define SPPROF_HEAP_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed memory has none. */
struct heap_ranges {
	struct heap_range {
		uint64_t start, end;
	} * items;
	size_t count, room;
};

void heap_ranges_fini(struct heap_ranges *r);

/* 0 or -ENOMEM. Nothing if it is empty. */
int heap_ranges_add(struct heap_ranges *r, uint64_t start, uint64_t end);

/* After the last was added, before the first is looked for: those that touch become one. */
void heap_ranges_seal(struct heap_ranges *r);

/* The one that holds @address, or an empty one. */
struct heap_range heap_ranges_find(const struct heap_ranges *r, uint64_t address);

static inline bool heap_range_holds(struct heap_range range, uint64_t address)
{
	return address - range.start < range.end - range.start;
}

static inline bool heap_ranges_hold(const struct heap_ranges *r, uint64_t address)
{
	return heap_range_holds(heap_ranges_find(r, address), address);
}

#endif
