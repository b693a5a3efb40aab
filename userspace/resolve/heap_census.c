/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/heap_census.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void heap_census_fini(struct heap_census *c)
{
	for (uint32_t i = 0; i < c->type_count; i++) {
		free(c->types[i].name);
		free(c->types[i].module);
	}
	free(c->types);
	free(c->sizes);
	free(c->kinds);
	*c = (struct heap_census){ .types = NULL };
}

double heap_census_consistency(const struct heap_census *c)
{
	uint64_t bad = c->pools_changed + c->pools_unreadable + c->pools_damaged;
	uint64_t all = c->pools + c->pools_unreadable;

	return !bad ? 1 : bad >= all ? 0 : 1 - (double)bad / (double)all;
}

uint32_t heap_census_find_size(const struct heap_census *c, uint64_t size)
{
	uint32_t low = 0, high = c->size_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (c->sizes[middle].size < size)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int heap_census_add_size(struct heap_census *c, const struct heap_census_size *more)
{
	uint32_t i = heap_census_find_size(c, more->size);

	if (i == c->size_count || c->sizes[i].size != more->size) {
		struct heap_census_size *sizes =
			realloc(c->sizes, (c->size_count + 1) * sizeof(*sizes));

		if (!sizes)
			return -ENOMEM;
		c->sizes = sizes;
		memmove(&sizes[i + 1], &sizes[i], (c->size_count++ - i) * sizeof(*sizes));
		sizes[i] = (struct heap_census_size){ .size = more->size };
	}
	c->sizes[i].blocks += more->blocks;
	c->sizes[i].free_blocks += more->free_blocks;
	c->sizes[i].pools += more->pools;
	c->sizes[i].freed_blocks += more->freed_blocks;
	return 0;
}

int heap_census_add_kind(struct heap_census *c, const struct heap_census_kind *kind)
{
	if (c->kind_count == HEAP_CENSUS_MOST_KINDS) {
		c->kinds_left_out++;
		return 0;
	}
	if (c->kind_count == c->kind_room) {
		uint32_t room = c->kind_room ? c->kind_room * 2 : 256;
		struct heap_census_kind *kinds = reallocarray(c->kinds, room, sizeof(*kinds));

		if (!kinds)
			return -ENOMEM;
		c->kinds = kinds;
		c->kind_room = room;
	}
	c->kinds[c->kind_count++] = *kind;
	return 0;
}

/* --- types --- */

static int compare_names(const void *a, const void *b)
{
	const struct heap_census_type *one = a, *other = b;
	int order = strcmp(one->module, other->module);

	return order ? order : strcmp(one->name, other->name);
}

static int compare_sums(const void *a, const void *b)
{
	const struct heap_census_type *one = a, *other = b;

	if (one->bytes != other->bytes)
		return one->bytes < other->bytes ? 1 : -1;
	if (one->objects != other->objects)
		return one->objects < other->objects ? 1 : -1;
	return compare_names(a, b);
}

void heap_census_sort(struct heap_census *c)
{
	uint32_t kept = 0;

	if (!c->type_count)
		return;
	qsort(c->types, c->type_count, sizeof(*c->types), compare_names);
	for (uint32_t i = 1; i < c->type_count; i++) {
		struct heap_census_type *last = &c->types[kept], *next = &c->types[i];

		if (compare_names(last, next)) {
			c->types[++kept] = *next;
			continue;
		}
		last->objects += next->objects;
		last->bytes += next->bytes;
		free(next->name);
		free(next->module);
	}
	c->type_count = kept + 1;
	qsort(c->types, c->type_count, sizeof(*c->types), compare_sums);
}
