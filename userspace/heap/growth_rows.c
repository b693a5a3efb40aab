/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/growth_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

void growth_rows_fini(struct growth_rows *r)
{
	hash_index_fini(&r->index);
	free(r->rows);
	r->rows = NULL;
	r->count = r->room = 0;
}

int growth_rows_copy(const struct growth_rows *r, struct growth_rows *out)
{
	*out = *r;
	out->room = r->count;
	out->rows = NULL;
	out->index.slots = NULL;
	if (!r->count)
		return 0;
	out->rows = malloc(r->count * r->row_bytes);
	out->index.slots = malloc(hash_index_bytes(&r->index));
	if (!out->rows || !out->index.slots)
		return -ENOMEM;
	memcpy(out->rows, r->rows, r->count * r->row_bytes);
	memcpy(out->index.slots, r->index.slots, hash_index_bytes(&r->index));
	return 0;
}

static int make_room(struct growth_rows *r)
{
	uint32_t room = r->room ? r->room * 2 : 16;
	void *rows;

	if (r->count < r->room)
		return 0;
	rows = reallocarray(r->rows, room, r->row_bytes);
	if (!rows)
		return -ENOMEM;
	r->rows = rows;
	r->room = room;
	return 0;
}

static uint64_t hash_of(const struct growth_key *key)
{
	return XXH3_64bits(key, sizeof(*key));
}

void *growth_rows_find(const struct growth_rows *r, const struct growth_key *key)
{
	struct hash_probe probe = hash_index_find(&r->index, hash_of(key));
	uint32_t i;

	while (hash_probe_next(&probe, &i))
		if (!memcmp(growth_rows_at(r, i), key, sizeof(*key)))
			return growth_rows_at(r, i);
	return NULL;
}

void *growth_rows_get(struct growth_rows *r, const struct growth_key *key, int *err)
{
	void *row = growth_rows_find(r, key);

	if (row)
		return row;
	*err = r->count == r->most ? -ENOSPC : make_room(r);
	if (!*err)
		*err = hash_index_add(&r->index, hash_of(key), r->count);
	if (*err)
		return NULL;
	row = growth_rows_at(r, r->count++);
	memset(row, 0, r->row_bytes);
	memcpy(row, key, sizeof(*key));
	return row;
}
