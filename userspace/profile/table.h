/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table - rows of one size, numbered from 0, found again by their first bytes.
 *
 * The key must be free of padding: it is hashed and compared as bytes.
 */
#ifndef SPPROF_PROFILE_TABLE_H
#define SPPROF_PROFILE_TABLE_H

#include "base/hash_index.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TABLE_PENDING 32

struct table {
	size_t row_size;
	size_t key_size; /* <= row_size */
	uint64_t seed;	 /* of the hash: keys come from targets */
	char *rows;
	uint32_t count, room;
	struct hash_index index; /* of the rows but the last @pending */
	uint32_t pending;
	uint64_t hashes[TABLE_PENDING]; /* of these */
};

void table_init(struct table *t, size_t row_size, size_t key_size, uint64_t seed);
void table_fini(struct table *t);

/* Appends a copy of @row that no search will find: *@id and 0, or -ENOMEM. */
int table_append(struct table *t, const void *row, uint32_t *id);

/* Finds the row with @row's key, or appends a copy of @row: *@id and 0, or -ENOMEM. */
int table_add(struct table *t, const void *row, uint32_t *id);

/*
 * The same for a key that is known to be new. A row added so enters the index with those
 * after it, when something is looked for: their places in memory come meanwhile.
 */
int table_add_new(struct table *t, const void *row, uint32_t *id);

/* Finds the row with @key, if table_add() added it: whether it is there, and *@id. */
bool table_find(const struct table *t, const void *key, uint32_t *id);

/* Valid until the next addition. */
static inline void *table_row(const struct table *t, uint32_t id)
{
	return t->rows + id * t->row_size;
}

#endif
