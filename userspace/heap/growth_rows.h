/* SPDX-License-Identifier: Apache-2.0 */
/* growth_rows - rows of one kind, found by their key, up to so many. */
#ifndef SPPROF_GROWTH_ROWS_H
#define SPPROF_GROWTH_ROWS_H

#include "base/hash_index.h"

/* What a row begins with. */
struct growth_key {
	uint64_t what; /* a type or a stack, or 0 */
	uint64_t block_bytes;
};

struct growth_rows {
	void *rows;
	size_t row_bytes;
	uint32_t count, room, most;
	struct hash_index index;
};

void growth_rows_fini(struct growth_rows *r);

/* 0 or -ENOMEM; *@out is to be finished in any case. */
int growth_rows_copy(const struct growth_rows *r, struct growth_rows *out);

/* The row of @key, or NULL. */
void *growth_rows_find(const struct growth_rows *r, const struct growth_key *key);

/* The row of @key, which is zeroed if it is new. NULL and *@err: -ENOSPC or -ENOMEM. */
void *growth_rows_get(struct growth_rows *r, const struct growth_key *key, int *err);

static inline void *growth_rows_at(const struct growth_rows *r, uint32_t number)
{
	return (char *)r->rows + number * r->row_bytes;
}

#endif
