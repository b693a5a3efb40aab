/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash_index - finds the number of an entry that lives in somebody's array.
 *
 * The index keeps numbers and hashes only; the owner of the array compares:
 *
 *	struct hash_probe p = hash_index_find(&ix, hash);
 *	while (hash_probe_next(&p, &i))
 *		if (same(&array[i], key))
 *			return i;
 *	… append to the array …
 *	err = hash_index_add(&ix, hash, new_number);
 *
 * Hash with xxhash's XXH3_64bits() and a seed of the process where the keys come
 * from a target. Numbers are never removed: free the whole index instead.
 */
#ifndef SPPROF_HASH_INDEX_H
#define SPPROF_HASH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_index {
	uint32_t *slots; /* number + 1, 0 empty */
	uint32_t *tags;	 /* 32 bits of the hash */
	size_t capacity; /* power of two, or 0 */
	size_t count;
};

struct hash_probe {
	const struct hash_index *index;
	size_t slot;
	uint32_t tag;
};

/* Zeroed memory is an empty index. */
void hash_index_fini(struct hash_index *ix);

/* 0 or -ENOMEM. @number < UINT32_MAX. */
int hash_index_add(struct hash_index *ix, uint64_t hash, uint32_t number);

struct hash_probe hash_index_find(const struct hash_index *ix, uint64_t hash);

/* True and the next number whose hash may be the one asked for; false at the end. */
bool hash_probe_next(struct hash_probe *p, uint32_t *number);

#endif
