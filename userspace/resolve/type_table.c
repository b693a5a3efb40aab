/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/type_table.h"

#include "resolve/heap_census.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BITS 11
#define MOST_LOOKS (1u << 20) /* in one scan: a second or so */
#define MOST_DEPTH 32	      /* of types' types and of base classes */
#define LOWEST_ADDRESS 0x10000ull
#define ADDRESS_BITS 47
#define WORD 8

static int allocate_slots(struct type_table *t, unsigned int bits)
{
	struct type_slot *slots = calloc((size_t)1 << bits, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	free(t->slots);
	t->slots = slots;
	t->bits = bits;
	return 0;
}

static void insert(struct type_table *t, uint32_t number)
{
	uint64_t address = t->met[number].address;
	size_t last = ((size_t)1 << t->bits) - 1, i = address * t->factor >> (64 - t->bits);

	while (t->slots[i].address)
		i = (i + 1) & last;
	t->slots[i] = (struct type_slot){ address, number };
}

static int make_room(struct type_table *t)
{
	uint32_t room = t->room ? t->room * 2 : 256;
	struct met_type *met;

	if (t->count * 4 >= 1u << t->bits) {
		int err = allocate_slots(t, t->bits + 1);

		if (err)
			return err;
		for (uint32_t i = 0; i < t->count; i++)
			insert(t, i);
	}
	if (t->count < t->room)
		return 0;
	met = realloc(t->met, room * sizeof(*met));
	if (!met)
		return -ENOMEM;
	t->met = met;
	t->room = room;
	return 0;
}

/* Those that are too many share one place: it is the last one's, and all their sums. */
static struct met_type *keep(struct type_table *t, const struct met_type *found, int *err)
{
	if (t->count == HEAP_CENSUS_MOST_TYPES) {
		uint64_t objects = t->beyond.objects, bytes = t->beyond.bytes;

		t->beyond = *found;
		t->beyond.objects = objects;
		t->beyond.bytes = bytes;
		return &t->beyond;
	}
	*err = make_room(t);
	if (*err)
		return NULL;
	t->met[t->count] = *found;
	insert(t, t->count);
	return &t->met[t->count++];
}

static uint64_t *refused_slot(struct type_table *t, uint64_t address)
{
	return &t->refused[(address * t->factor >> 40) % TYPE_TABLE_REFUSED];
}

static bool may_be_type(struct type_table *t, uint64_t address)
{
	return address % WORD == 0 && address >= LOWEST_ADDRESS && !(address >> ADDRESS_BITS) &&
	       *refused_slot(t, address) != address &&
	       (t->has_types_inside || !heap_ranges_hold(t->ranges, address));
}

static struct met_type *look(struct type_table *t, uint64_t address, unsigned int depth, int *err);

static bool is_named(const struct type_table *t, uint64_t address, const char *name)
{
	char text[16] = { 0 };
	size_t size = strlen(name) + 1;

	return !t->memory.read(t->memory.ctx, address, text, size) && !memcmp(text, name, size);
}

/* Sets and their subclasses have no flag that says so. */
static enum type_owns owns_of(struct type_table *t, const struct object_type *is,
			      unsigned int depth, int *err)
{
	struct met_type *base;

	if (is->flags & OBJECT_TYPE_IS_LIST)
		return TYPE_OWNS_LIST;
	if (is->flags & OBJECT_TYPE_IS_DICT)
		return TYPE_OWNS_DICT;
	if (!(is->flags & OBJECT_TYPE_ON_HEAP))
		return is_named(t, is->name, "set") || is_named(t, is->name, "frozenset")
			       ? TYPE_OWNS_SET
			       : TYPE_OWNS_NOTHING;
	base = look(t, is->base, depth, err);
	return base && base->owns == TYPE_OWNS_SET ? TYPE_OWNS_SET : TYPE_OWNS_NOTHING;
}

/* Whether what has @type for its type is a type. */
static bool is_type_of_types(struct type_table *t, uint64_t type, unsigned int depth, int *err)
{
	struct met_type *met = type == t->root ? NULL : look(t, type, depth, err);

	return type == t->root || (met && met->is.flags & OBJECT_TYPE_IS_TYPE);
}

/* Whether there is a type at @address: then true and *@out. */
static bool examine(struct type_table *t, uint64_t address, unsigned int depth,
		    struct met_type *out, int *err)
{
	uint8_t bytes[OBJECT_SHAPE_TYPE_BYTES];

	*err = t->memory.read(t->memory.ctx, address, bytes, sizeof(bytes));
	if (*err == -EFAULT) {
		*err = 0;
		return false;
	}
	if (*err || object_shape_decode_type(t->shape, bytes, &out->is) ||
	    !is_type_of_types(t, out->is.type, depth + 1, err) || *err)
		return false;
	out->owns = owns_of(t, &out->is, depth + 1, err);
	return !*err;
}

static struct met_type *look(struct type_table *t, uint64_t address, unsigned int depth, int *err)
{
	struct met_type found = { .address = address }, *met = type_table_find(t, address);

	if (met)
		return met;
	if (!may_be_type(t, address) || depth > MOST_DEPTH)
		return NULL;
	if (!t->looks_left) {
		t->was_spared = true;
		return NULL;
	}
	t->looks_left--;
	if (examine(t, address, depth, &found, err))
		return keep(t, &found, err);
	if (!*err)
		*refused_slot(t, address) = address;
	return NULL;
}

struct met_type *type_table_look(struct type_table *t, uint64_t address, int *err)
{
	return look(t, address, 0, err);
}

int type_table_init(struct type_table *t, uint64_t root)
{
	int err = allocate_slots(t, FIRST_BITS);
	struct met_type *met;

	if (err)
		return err;
	t->looks_left = MOST_LOOKS;
	t->root = root;
	met = look(t, root, 0, &err);
	if (err)
		return err;
	return met && met->is.type == root && met->is.flags & OBJECT_TYPE_IS_TYPE ? 0 : -EBADMSG;
}

void type_table_fini(struct type_table *t)
{
	free(t->slots);
	free(t->met);
}
