/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/address_set.h"

#include <errno.h>
#include <stdlib.h>

void address_set_fini(struct address_set *s)
{
	free(s->slots);
}

/* Where @address is, or is to be. */
static uint64_t *find_slot(const struct address_set *s, uint64_t address)
{
	size_t i = (address * s->factor >> 20) & (s->capacity - 1);

	while (s->slots[i] && s->slots[i] != address)
		i = (i + 1) & (s->capacity - 1);
	return &s->slots[i];
}

static int grow(struct address_set *s)
{
	struct address_set larger = *s;

	larger.capacity = s->capacity ? s->capacity * 2 : 1024;
	larger.slots = calloc(larger.capacity, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < s->capacity; i++)
		if (s->slots[i])
			*find_slot(&larger, s->slots[i]) = s->slots[i];
	free(s->slots);
	*s = larger;
	return 0;
}

int address_set_add(struct address_set *s, uint64_t address)
{
	uint64_t *slot;
	int err;

	if (!address)
		return 0;
	if (s->count * 2 >= s->capacity) {
		err = grow(s);
		if (err)
			return err;
	}
	slot = find_slot(s, address);
	if (*slot)
		return 0;
	if (s->count == s->most) {
		s->left_out++;
		return 0;
	}
	*slot = address;
	s->count++;
	return 1;
}
