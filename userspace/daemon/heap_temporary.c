/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/heap_temporary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define FIRST_ROOM 64

void heap_temporary_fini(struct heap_temporary *t)
{
	free(t->rows);
	hash_index_fini(&t->index);
	*t = (struct heap_temporary){ 0 };
}

static int make_room(struct heap_temporary *t)
{
	uint32_t room = t->room ? t->room * 2 : FIRST_ROOM;
	void *rows;

	if (t->count < t->room)
		return 0;
	rows = reallocarray(t->rows, room, sizeof(*t->rows));
	if (!rows)
		return -ENOMEM;
	t->rows = rows;
	t->room = room;
	return 0;
}

/* The row of @stack, a new one if need be. */
static int row_of(struct heap_temporary *t, uint32_t stack, uint32_t *budget,
		  struct heap_temporary_row **row)
{
	uint64_t hash = XXH3_64bits(&stack, sizeof(stack));
	struct hash_probe probe = hash_index_find(&t->index, hash);
	uint32_t i;
	int err;

	while (hash_probe_next(&probe, &i))
		if (t->rows[i].stack == stack) {
			*row = &t->rows[i];
			return 0;
		}
	if (!*budget)
		return -ENOSPC;
	err = make_room(t);
	if (!err)
		err = hash_index_add(&t->index, hash, t->count);
	if (err)
		return err;
	--*budget;
	*row = &t->rows[t->count++];
	**row = (struct heap_temporary_row){ .stack = stack };
	return 0;
}

int heap_temporary_add(struct heap_temporary *t, const struct heap_sample *s, uint64_t lifetime_ns,
		       uint32_t *budget)
{
	struct heap_temporary_row *row;
	int err = row_of(t, s->stack, budget, &row);

	if (err)
		return err;
	estimate_add(&row->estimate, s->size, s->rate);
	if (lifetime_ns) {
		double objects = estimate_count(s->size, s->rate);

		row->objects += objects;
		row->lifetimes_ns += objects * (double)lifetime_ns;
	}
	return 0;
}

int heap_temporary_copy(const struct heap_temporary *t, struct heap_temporary *out)
{
	*out = (struct heap_temporary){ 0 };
	if (!t->count)
		return 0;
	out->rows = calloc(t->count, sizeof(*t->rows));
	if (!out->rows)
		return -ENOMEM;
	memcpy(out->rows, t->rows, t->count * sizeof(*t->rows));
	out->count = out->room = t->count;
	return 0;
}
