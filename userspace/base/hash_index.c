/* SPDX-License-Identifier: Apache-2.0 */
/* Open addressing, linear probing, at most half full. */
#include "base/hash_index.h"

#include <errno.h>
#include <stdlib.h>

/* An index holds at most 2^32 numbers, so 32 bits of the hash are what it keeps of it. */
static uint32_t fold(uint64_t hash)
{
	return (uint32_t)(hash ^ hash >> 32);
}

static size_t first_slot(const struct hash_index *ix, uint32_t tag)
{
	return (tag * 0x9e3779b1u) & (ix->capacity - 1);
}

static void place(struct hash_index *ix, uint32_t tag, uint32_t number)
{
	size_t slot = first_slot(ix, tag);

	while (ix->slots[slot])
		slot = (slot + 1) & (ix->capacity - 1);
	ix->slots[slot] = number + 1;
	ix->tags[slot] = tag;
}

static int grow(struct hash_index *ix)
{
	struct hash_index wide = { .capacity = ix->capacity ? ix->capacity * 2 : 64 };

	wide.slots = calloc(wide.capacity, sizeof(*wide.slots));
	wide.tags = calloc(wide.capacity, sizeof(*wide.tags));
	if (!wide.slots || !wide.tags) {
		hash_index_fini(&wide);
		return -ENOMEM;
	}
	for (size_t i = 0; i < ix->capacity; i++)
		if (ix->slots[i])
			place(&wide, ix->tags[i], ix->slots[i] - 1);
	wide.count = ix->count;
	hash_index_fini(ix);
	*ix = wide;
	return 0;
}

void hash_index_fini(struct hash_index *ix)
{
	free(ix->slots);
	free(ix->tags);
	*ix = (struct hash_index){ 0 };
}

int hash_index_add(struct hash_index *ix, uint64_t hash, uint32_t number)
{
	uint32_t tag = fold(hash);

	if (ix->count * 2 >= ix->capacity) {
		int err = grow(ix);

		if (err)
			return err;
	}
	place(ix, tag, number);
	ix->count++;
	return 0;
}

struct hash_probe hash_index_find(const struct hash_index *ix, uint64_t hash)
{
	uint32_t tag = fold(hash);

	return (struct hash_probe){
		.index = ix,
		.slot = ix->capacity ? first_slot(ix, tag) : 0,
		.tag = tag,
	};
}

bool hash_probe_next(struct hash_probe *p, uint32_t *number)
{
	const struct hash_index *ix = p->index;

	while (ix->capacity && ix->slots[p->slot]) {
		size_t slot = p->slot;

		p->slot = (slot + 1) & (ix->capacity - 1);
		if (ix->tags[slot] == p->tag) {
			*number = ix->slots[slot] - 1;
			return true;
		}
	}
	return false;
}
