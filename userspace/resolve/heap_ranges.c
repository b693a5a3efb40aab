/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/heap_ranges.h"

#include <errno.h>
#include <stdlib.h>

void heap_ranges_fini(struct heap_ranges *r)
{
	free(r->items);
}

int heap_ranges_add(struct heap_ranges *r, uint64_t start, uint64_t end)
{
	if (start >= end)
		return 0;
	if (r->count == r->room) {
		size_t room = r->room ? r->room * 2 : 64;
		struct heap_range *items = realloc(r->items, room * sizeof(*items));

		if (!items)
			return -ENOMEM;
		r->items = items;
		r->room = room;
	}
	r->items[r->count++] = (struct heap_range){ start, end };
	return 0;
}

static int compare_starts(const void *a, const void *b)
{
	uint64_t one = ((const struct heap_range *)a)->start;
	uint64_t other = ((const struct heap_range *)b)->start;

	return (one > other) - (one < other);
}

void heap_ranges_seal(struct heap_ranges *r)
{
	size_t kept = 0;

	if (!r->count)
		return;
	qsort(r->items, r->count, sizeof(*r->items), compare_starts);
	for (size_t i = 1; i < r->count; i++) {
		struct heap_range next = r->items[i];

		if (next.start > r->items[kept].end)
			r->items[++kept] = next;
		else if (next.end > r->items[kept].end)
			r->items[kept].end = next.end;
	}
	r->count = kept + 1;
}

struct heap_range heap_ranges_find(const struct heap_ranges *r, uint64_t address)
{
	size_t low = 0, high = r->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->items[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < r->count && r->items[low].start <= address)
		return r->items[low];
	return (struct heap_range){ 0 };
}
