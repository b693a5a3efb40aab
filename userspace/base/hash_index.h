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
	struct hash_slot {
		uint32_t number; /* plus 1; 0: empty */
		uint32_t tag;	 /* 32 bits of the hash; their upper ones say where */
	} * slots;
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

/* Bytes that it has allocated. */
static inline size_t hash_index_bytes(const struct hash_index *ix)
{
	return ix->capacity * sizeof(*ix->slots);
}

/*
 * An index holds at most 2^32 numbers, so 32 bits of the hash are what it keeps of it.
 * Slots are in the order of their tags, but for collisions: so it grows front to back.
 */
static inline uint32_t hash_index_tag(uint64_t hash)
{
	return (uint32_t)(hash ^ hash >> 32) * 0x9e3779b1u;
}

static inline size_t hash_index_slot(const struct hash_index *ix, uint32_t tag)
{
	return ((uint64_t)tag * ix->capacity) >> 32;
}

static inline struct hash_probe hash_index_find(const struct hash_index *ix, uint64_t hash)
{
	uint32_t tag = hash_index_tag(hash);

	return (struct hash_probe){ .index = ix, .slot = hash_index_slot(ix, tag), .tag = tag };
}

/* Memory takes long; who knows early what will be asked for, or added, says so. */
static inline void hash_index_prefetch(const struct hash_index *ix, uint64_t hash)
{
	if (ix->capacity)
		__builtin_prefetch(&ix->slots[hash_index_slot(ix, hash_index_tag(hash))]);
}

/* True and the next number whose hash may be the one asked for; false at the end. */
static inline bool hash_probe_next(struct hash_probe *p, uint32_t *number)
{
	const struct hash_index *ix = p->index;

	while (ix->capacity && ix->slots[p->slot].number) {
		struct hash_slot slot = ix->slots[p->slot];

		p->slot = (p->slot + 1) & (ix->capacity - 1);
		if (slot.tag == p->tag) {
			*number = slot.number - 1;
			return true;
		}
	}
	return false;
}

#endif
