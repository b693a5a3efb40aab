/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/heap_large.h"

#include "base/words.h"

#include <errno.h>
#include <stdlib.h>

#define MOST_SEEN (1u << 20) /* a second or so */
#define LINK_FLAGS 7ull	     /* of gc_next and gc_prev; heads are aligned to 16 */
#define WORD 8
#define GC_NEXT 0
#define GC_PREV 8

/* What is read of an object that malloc gave: its longest lead, and the size of the chunk. */
#define BEFORE 64
#define BEHIND 40

#define CHUNK_FLAGS 7ull
#define MOST_CHUNK_EXTRA 8192 /* that glibc gives beyond what was asked: a page, and its head */

void heap_large_init(struct heap_large *l)
{
	l->seen.most = MOST_SEEN;
}

void heap_large_fini(struct heap_large *l)
{
	address_set_fini(&l->seen);
	free(l->pending);
}

static int append(struct heap_large *l, uint64_t head)
{
	if (l->count == l->room) {
		size_t room = l->room ? l->room * 2 : 256;
		uint64_t *pending = realloc(l->pending, room * sizeof(*pending));

		if (!pending)
			return -ENOMEM;
		l->pending = pending;
		l->room = room;
	}
	l->pending[l->count++] = head;
	return 0;
}

int heap_large_note(struct heap_large *l, uint64_t head)
{
	int new;

	head &= ~LINK_FLAGS;
	if (!head || heap_ranges_hold(l->types->ranges, head))
		return 0;
	new = address_set_add(&l->seen, head);
	return new > 0 ? append(l, head) : new;
}

/* What malloc gave: as the word before its chunk says, or at least what was asked for. */
static uint64_t given(const struct object_shape *s, const struct met_type *type,
		      const uint8_t *object)
{
	uint64_t items = word_at(object, s->object_size); /* of negative ints it is negative */
	uint64_t asked = type->is.start + type->is.basicsize, chunk;

	if (items >> 63)
		items = -items;
	if (items < INT32_MAX)
		asked += items * type->is.itemsize;
	chunk = word_at(object - type->is.start - WORD, 0) & ~CHUNK_FLAGS;
	if (chunk % 16 == 0 && chunk > asked && chunk < asked + MOST_CHUNK_EXTRA)
		return chunk - WORD;
	return asked;
}

/* Counts the object behind the GC head at @head, if one is there, and notes its neighbours. */
static int take(struct heap_large *l, const struct target_reader *memory, uint64_t head)
{
	const struct object_shape *s = l->types->shape;
	uint8_t bytes[BEFORE + BEHIND], *object = bytes + BEFORE;
	uint64_t address = head + s->gc_head;
	struct met_type *type;
	uint64_t size;
	int err = memory->read(memory->ctx, address - BEFORE, bytes, sizeof(bytes));

	if (err)
		return err == -EFAULT ? 0 : err;
	type = type_table_look(l->types, word_at(object, s->object_type), &err);
	if (!type || !(type->is.flags & OBJECT_TYPE_HAS_GC) ||
	    object_state(s, object) != OBJECT_LIVE)
		return err;
	size = given(s, type, object);
	type->objects++;
	type->bytes += size;
	l->objects++;
	l->bytes += size;
	err = heap_large_note(l, word_at(object - s->gc_head, GC_NEXT));
	return err ? err : heap_large_note(l, word_at(object - s->gc_head, GC_PREV));
}

int heap_large_follow(struct heap_large *l, const struct target_reader *memory)
{
	int err = 0;

	while (!err && l->count)
		err = take(l, memory, l->pending[--l->count]);
	return err;
}
