/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/table.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64

void table_init(struct table *t, size_t row_size, size_t key_size, uint64_t seed)
{
	*t = (struct table){ .row_size = row_size, .key_size = key_size, .seed = seed };
}

void table_fini(struct table *t)
{
	free(t->rows);
	hash_index_fini(&t->index);
	t->rows = NULL;
	t->count = t->room = 0;
}

static int grow(struct table *t)
{
	uint32_t room = t->room ? t->room * 2 : FIRST_ROOM;
	char *grown;

	/* Doubling reaches 2^31 rows; an id beyond could be taken for "none". */
	if (room < t->room)
		return -ENOMEM;
	grown = reallocarray(t->rows, room, t->row_size);
	if (!grown)
		return -ENOMEM;
	t->rows = grown;
	t->room = room;
	return 0;
}

int table_append(struct table *t, const void *row, uint32_t *id)
{
	int err = t->count == t->room ? grow(t) : 0;

	if (err)
		return err;
	*id = t->count++;
	memcpy(table_row(t, *id), row, t->row_size);
	return 0;
}

/* Stacks are nearly all rows that there are, and have a key of this length. */
static uint64_t hash_of(const struct table *t, const void *key)
{
	if (t->key_size == 8)
		return XXH3_64bits_withSeed(key, 8, t->seed);
	return XXH3_64bits_withSeed(key, t->key_size, t->seed);
}

/* Puts the last rows into the index. */
static int index_pending(struct table *t)
{
	uint32_t first = t->count - t->pending;
	int err = 0;

	for (uint32_t i = 0; i < t->pending && !err; i++)
		err = hash_index_add(&t->index, t->hashes[i], first + i);
	t->pending = 0;
	return err;
}

static bool find(const struct table *t, const void *key, uint64_t hash, uint32_t *id)
{
	struct hash_probe probe = hash_index_find(&t->index, hash);
	uint32_t at;

	while (hash_probe_next(&probe, &at)) {
		if (memcmp(table_row(t, at), key, t->key_size) == 0) {
			*id = at;
			return true;
		}
	}
	return false;
}

bool table_find(const struct table *t, const void *key, uint32_t *id)
{
	return find(t, key, hash_of(t, key), id);
}

int table_add(struct table *t, const void *row, uint32_t *id)
{
	uint64_t hash = hash_of(t, row);
	uint32_t added;
	int err = index_pending(t);

	if (err || find(t, row, hash, id))
		return err;
	err = table_append(t, row, &added);
	if (err)
		return err;
	err = hash_index_add(&t->index, hash, added);
	if (err) {
		t->count--;
		return err;
	}
	*id = added;
	return 0;
}

int table_add_new(struct table *t, const void *row, uint32_t *id)
{
	uint64_t hash = hash_of(t, row);
	uint32_t added; /* @id may be a part of @row */
	int err = t->pending == TABLE_PENDING ? index_pending(t) : 0;

	if (!err)
		err = table_append(t, row, &added);
	if (err)
		return err;
	hash_index_prefetch(&t->index, hash);
	t->hashes[t->pending++] = hash;
	*id = added;
	return 0;
}
