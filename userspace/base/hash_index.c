/* SPDX-License-Identifier: Apache-2.0 */
/* Open addressing, linear probing, at most five eighths full. */
#include "base/hash_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_CAPACITY 64
#define HUGE_PAGE (2u << 20) /* of x86-64; a wrong guess costs nothing but time */

static void place(struct hash_index *ix, uint32_t tag, uint32_t number)
{
	size_t slot = hash_index_slot(ix, tag);

	while (ix->slots[slot].number)
		slot = (slot + 1) & (ix->capacity - 1);
	ix->slots[slot] = (struct hash_slot){ .number = number + 1, .tag = tag };
}

/* Zeroed. Large ones are looked at in no order, which takes long in small pages. */
static struct hash_slot *make_slots(size_t capacity)
{
	size_t bytes = capacity * sizeof(struct hash_slot);
	void *slots;

	if (bytes < HUGE_PAGE)
		return calloc(capacity, sizeof(struct hash_slot));
	slots = aligned_alloc(HUGE_PAGE, bytes);
	if (!slots)
		return NULL;
	madvise(slots, bytes, MADV_HUGEPAGE);
	return memset(slots, 0, bytes);
}

static int grow(struct hash_index *ix)
{
	struct hash_index wide = { .capacity = ix->capacity ? ix->capacity * 2 : FIRST_CAPACITY };

	wide.slots = make_slots(wide.capacity);
	if (!wide.slots)
		return -ENOMEM;
	for (size_t i = 0; i < ix->capacity; i++)
		if (ix->slots[i].number)
			place(&wide, ix->slots[i].tag, ix->slots[i].number - 1);
	wide.count = ix->count;
	hash_index_fini(ix);
	*ix = wide;
	return 0;
}

void hash_index_fini(struct hash_index *ix)
{
	free(ix->slots);
	*ix = (struct hash_index){ 0 };
}

int hash_index_add(struct hash_index *ix, uint64_t hash, uint32_t number)
{
	if (ix->count * 8 >= ix->capacity * 5) {
		int err = grow(ix);

		if (err)
			return err;
	}
	place(ix, hash_index_tag(hash), number);
	ix->count++;
	return 0;
}
