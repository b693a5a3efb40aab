/* SPDX-License-Identifier: Apache-2.0 */
/* From a block to the object in it, and what that leads to. */
#include "resolve/heap_tally.h"

#include "base/words.h"
#include "resolve/heap_tally_parts.h"

#include <errno.h>
#include <string.h>

struct block {
	uint64_t address;
	const uint8_t *bytes;
	size_t length; /* that were copied */
	uint64_t size;
	struct heap_range range; /* that it lies in */
	enum heap_use use;
};

/* Whether the allocator leaves it open that an object begins at @start of @b. */
static bool may_begin(const struct heap_tally *t, const struct block *b, unsigned int start)
{
	switch (b->use) {
	case HEAP_USE_MEMORY:
		return false;
	case HEAP_USE_OBJECT:
	case HEAP_USE_GC:
		return start == t->shape.lead;
	case HEAP_USE_GC_PRE:
		return start == t->shape.lead + (unsigned int)HEAP_USE_GC_PRE_BYTES;
	case HEAP_USE_ANY:
		break;
	}
	return true;
}

/* Whether the object that begins at @start in @b can be one of @type. */
static bool fits(const struct heap_tally *t, const struct block *b, unsigned int start,
		 const struct met_type *type, enum object_state *state)
{
	if (type->is.start != start || type->is.least > b->size)
		return false;
	*state = object_state(&t->shape, b->bytes + start);
	return *state != OBJECT_NONE;
}

/* Among the types that were met: no read. */
static struct met_type *find_type(const struct heap_tally *t, const struct block *b,
				  enum object_state *state)
{
	for (unsigned int i = 0; i < t->shape.start_count; i++) {
		unsigned int at = t->shape.starts[i];
		struct met_type *type;

		if (at + t->shape.object_size > b->length)
			break;
		if (!may_begin(t, b, at))
			continue;
		type = type_table_find(&t->types, word_at(b->bytes, at + t->shape.object_type));
		if (type && fits(t, b, at, type, state))
			return type;
	}
	return NULL;
}

/* Among those that were not met so far, of which some object must live. */
static struct met_type *look_for_type(struct heap_tally *t, const struct block *b,
				      enum object_state *state, int *err)
{
	for (unsigned int i = 0; !*err && i < t->shape.start_count; i++) {
		unsigned int at = t->shape.starts[i];
		struct met_type *type;

		if (at + t->shape.object_size > b->length)
			break;
		if (!may_begin(t, b, at) || object_state(&t->shape, b->bytes + at) != OBJECT_LIVE)
			continue;
		type = type_table_look(&t->types, word_at(b->bytes, at + t->shape.object_type),
				       err);
		if (type && fits(t, b, at, type, state))
			return type;
	}
	return NULL;
}

/* Neighbours in the GC's list, if they are elsewhere. */
static int note_neighbours(struct heap_tally *t, const struct block *b, const struct met_type *type)
{
	const uint8_t *head = b->bytes + type->is.start - t->shape.gc_head;
	uint64_t next = word_at(head, 0), previous = word_at(head, sizeof(next));
	int err = 0;

	if (next && !heap_range_holds(b->range, next))
		err = heap_large_note(&t->large, next);
	if (!err && previous && !heap_range_holds(b->range, previous))
		err = heap_large_note(&t->large, previous);
	return err;
}

/* Of those small blocks of which there is a size class each. */
static int count_in_class(struct heap_tally *t, const struct met_type *type, uint64_t size)
{
	uint32_t number, room = t->types.room;

	if (type == &t->types.beyond || !size || size % 16 || size / 16 > HEAP_CENSUS_CLASSES)
		return 0;
	number = type - t->types.met;
	if (number >= t->in_class_room) {
		void *grown = reallocarray(t->in_class, room, sizeof(*t->in_class));

		if (!grown)
			return -ENOMEM;
		t->in_class = grown;
		memset(t->in_class + t->in_class_room, 0,
		       (room - t->in_class_room) * sizeof(*t->in_class));
		t->in_class_room = room;
	}
	t->in_class[number][size / 16 - 1]++;
	return 0;
}

static int count_object(struct heap_tally *t, const struct block *b, struct met_type *type)
{
	struct heap_owner owner = {
		.address = b->address + type->is.start,
		.bytes = b->bytes + type->is.start,
		.length = b->length - type->is.start,
		.before = type->is.start,
		.type = type,
	};
	int err = count_in_class(t, type, b->size);

	type->objects++;
	type->bytes += b->size;
	t->object_bytes += b->size;
	if (!err && t->shape.gc_head && type->is.flags & OBJECT_TYPE_HAS_GC)
		err = note_neighbours(t, b, type);
	return err ? err : heap_storage_add_owned(&t->storage, &owner);
}

/* What is on a free list links to the next one there, which is scanned too, or to none. */
static void count_unused(struct heap_tally *t, const struct block *b, const struct met_type *type)
{
	uint64_t link = word_at(b->bytes, type->is.start);

	if (link && t->shape.count != OBJECT_COUNT_SPLIT && !heap_ranges_hold(&t->ranges, link))
		return;
	t->unused_objects++;
	t->unused_bytes += b->size;
}

static int add_block(struct heap_tally *t, const struct block *b)
{
	enum object_state state;
	struct met_type *type = find_type(t, b, &state);
	int err = 0;

	t->live_bytes += b->size;
	if (!type && heap_storage_add_keys(&t->storage, b->bytes, b->length, b->size))
		return 0;
	if (!type) {
		t->types.was_spared = false;
		type = look_for_type(t, b, &state, &err);
	}
	if (err)
		return err;
	if (!type) {
		t->unreadable += t->types.was_spared;
		return 0;
	}
	if (state == OBJECT_LIVE)
		return count_object(t, b, type);
	count_unused(t, b, type);
	return 0;
}

int heap_tally_add(struct heap_tally *t, const struct heap_blocks *b)
{
	struct heap_range range;
	int err = 0;

	if (!t->is_sealed)
		heap_ranges_seal(&t->ranges);
	t->is_sealed = true;
	range = heap_ranges_find(&t->ranges, b->address);
	for (uint64_t i = 0, at = 0; !err && i < b->count && at < b->length; i++) {
		struct block block = {
			.address = b->address + at,
			.bytes = b->bytes + at,
			.length = b->length - at < b->block_bytes ? b->length - at : b->block_bytes,
			.size = b->block_bytes,
			.range = range,
			.use = b->use,
		};

		at += b->block_bytes;
		if (!(b->free_bits[i / 64] >> (i % 64) & 1))
			err = add_block(t, &block);
	}
	return err;
}
