/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/growth.h"

#include "heap/growth_parts.h"

#include <errno.h>

struct growth *growth_new(void)
{
	struct growth *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->sizes.row_bytes = sizeof(struct growth_size);
	g->sizes.most = GROWTH_MOST_SIZES;
	g->refills.row_bytes = sizeof(struct growth_refills);
	g->refills.most = GROWTH_MOST_STACKS;
	g->larges.row_bytes = sizeof(struct growth_large);
	g->larges.most = GROWTH_MOST_STACKS;
	g->types.row_bytes = sizeof(struct growth_type);
	g->types.most = GROWTH_MOST_TYPES;
	return g;
}

void growth_free(struct growth *g)
{
	if (!g)
		return;
	growth_rows_fini(&g->sizes);
	growth_rows_fini(&g->refills);
	growth_rows_fini(&g->larges);
	growth_rows_fini(&g->types);
	free(g);
}

struct growth *growth_copy(const struct growth *g)
{
	OWNS(growth) struct growth *copy = growth_new();

	if (!copy)
		return NULL;
	copy->times = g->times;
	copy->first_bytes = g->first_bytes;
	copy->last_bytes = g->last_bytes;
	copy->dropped = g->dropped;
	if (growth_rows_copy(&g->sizes, &copy->sizes) ||
	    growth_rows_copy(&g->refills, &copy->refills) ||
	    growth_rows_copy(&g->larges, &copy->larges) ||
	    growth_rows_copy(&g->types, &copy->types))
		return NULL;
	return TAKE(copy);
}

uint64_t growth_dropped(const struct growth *g)
{
	return g->dropped;
}

/* A row, or NULL and what is to be returned: 0 if it was dropped. */
static void *row_of(struct growth *g, struct growth_rows *rows, uint64_t what, uint64_t block_bytes,
		    int *err)
{
	struct growth_key key = { what, block_bytes };
	void *row = growth_rows_get(rows, &key, err);

	if (!row && *err == -ENOSPC) {
		g->dropped++;
		*err = 0;
	}
	return row;
}

/* --- who was there --- */

int growth_refilled(struct growth *g, uint32_t block_bytes, uint32_t stack, uint64_t line,
		    uint32_t times)
{
	int err = 0;
	struct growth_size *size = row_of(g, &g->sizes, 0, block_bytes, &err);
	struct growth_refills *row;

	if (!size)
		return err;
	row = row_of(g, &g->refills, stack, block_bytes, &err);
	if (err)
		return err;
	size->refills += times;
	size->unknown_refills += !row || !line ? times : 0;
	if (!row)
		return 0;
	row->line = line;
	row->count += times;
	return 0;
}

/* --- what is there --- */

int growth_typed(struct growth *g, uint64_t type, uint32_t block_bytes, uint64_t objects)
{
	int err = 0;
	struct growth_type *row = NULL;

	if (row_of(g, &g->sizes, 0, block_bytes, &err))
		row = row_of(g, &g->types, type, block_bytes, &err);
	if (row)
		row->next += objects;
	return err;
}

int growth_sampled(struct growth *g, uint32_t stack, double bytes, double objects, double variance)
{
	int err = 0;
	struct growth_large *row = row_of(g, &g->larges, stack, 0, &err);

	if (!row)
		return err;
	row->next.bytes += bytes;
	row->next.objects += objects;
	row->next.variance += variance;
	return 0;
}

/* Sums up types by size. */
static void take_types(struct growth *g)
{
	for (uint32_t i = 0; i < g->types.count; i++) {
		struct growth_type *type = growth_rows_at(&g->types, i);
		struct growth_key key = { 0, type->key.block_bytes };
		struct growth_size *size = growth_rows_find(&g->sizes, &key);
		uint64_t grown;

		if (!g->times.count)
			type->first = type->next;
		grown = type->next > type->first ? type->next - type->first : 0;
		type->next = 0;
		size->next.grown += grown;
		size->next.growing_types += grown > 0;
		if (grown > size->next.most_grown)
			size->next.most_grown = grown;
	}
}

static void take_size(struct growth *g, struct growth_size *size, double seconds)
{
	const struct growth_found *next = &size->next;

	trend_sums_add(&size->live, &g->times, seconds, (double)next->live);
	if (!g->times.count) {
		size->first = *next;
		size->refills_before = size->refills;
	}
	if (size->refills) {
		size->scans++;
		size->freed_scans +=
			next->freed || (g->times.count && next->live < size->last.live);
		size->mixed_scans += next->growing_types > 1;
	}
	size->last = *next;
	size->next = (struct growth_found){ 0 };
}

static void take_large(struct growth *g, struct growth_large *large, double seconds)
{
	const struct growth_amount *next = &large->next;

	trend_sums_add(&large->bytes, &g->times, seconds, next->bytes);
	trend_sums_add(&large->objects, &g->times, seconds, next->objects);
	if (!g->times.count)
		large->first_variance = next->variance;
	else
		large->falls += next->bytes < large->last.bytes;
	large->last = *next;
	large->next = (struct growth_amount){ 0 };
}

int growth_scanned(struct growth *g, double seconds, const struct growth_class *classes,
		   size_t count)
{
	double bytes = 0;
	int err = 0;

	for (size_t i = 0; i < count; i++) {
		const struct growth_class *c = &classes[i];
		struct growth_key key = { 0, c->block_bytes };
		/* One for which there is no room counts when somebody takes memory for it. */
		struct growth_size *size = growth_rows_get(&g->sizes, &key, &err);

		if (err == -ENOMEM)
			return err;
		bytes += (double)c->live_blocks * c->block_bytes;
		if (!size)
			continue;
		size->next.live += c->live_blocks;
		size->next.freed += c->freed_blocks;
		size->next.pools += c->pools;
	}
	take_types(g);
	for (uint32_t i = 0; i < g->sizes.count; i++)
		take_size(g, growth_rows_at(&g->sizes, i), seconds);
	for (uint32_t i = 0; i < g->larges.count; i++)
		take_large(g, growth_rows_at(&g->larges, i), seconds);
	if (!g->times.count)
		g->first_bytes = bytes;
	g->last_bytes = bytes;
	trend_times_add(&g->times, seconds);
	return 0;
}
