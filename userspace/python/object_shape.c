/* SPDX-License-Identifier: Apache-2.0 */
#include "python/object_shape.h"

#include "base/words.h"

#include <errno.h>

#define WORD 8
#define GC_HEAD 16
#define HOOKS_LEAD 16 /* size, id, and 0xfd seven times */
#define MANAGED 16    /* two pointers: a dict's (3.11: and its values') and weak references' */
#define MANAGED_WEAKREF (1u << 3)
#define SHARED_FLAGS 3u /* of ob_ref_shared */
#define SHARED_QUEUED 2u
#define MOST_BASICSIZE (1u << 20)
#define MOST_ITEMSIZE (1u << 16)

/* Of a PyTypeObject, from tp_basicsize or tp_flags; the same since 3.8. */
#define NAME_BEFORE_BASICSIZE 8
#define ITEMSIZE_BEHIND_BASICSIZE 8
#define BASE_BEHIND_FLAGS 88
#define DICT_BEHIND_FLAGS 96

#define LOWEST_IMAGE 0x400000ull /* where ld puts programs that have a fixed address */
#define LOW_END (1ull << 32)	 /* these, their data and their heap lie below */

/* Keeps them ascending and each once. */
static void add_start(struct object_shape *s, uint16_t start)
{
	if (!s->start_count || s->starts[s->start_count - 1] < start)
		s->starts[s->start_count++] = start;
}

static enum object_count count_of(const struct sp_pylayout *python)
{
	unsigned int minor = python->version >> 16 & 255;

	if (python->is_free_threaded)
		return OBJECT_COUNT_SPLIT;
	return minor < 12 ? OBJECT_COUNT_WORD : minor < 14 ? OBJECT_COUNT_HALF : OBJECT_COUNT_FLAGS;
}

static uint32_t managed_flags_of(const struct sp_pylayout *python)
{
	unsigned int minor = python->version >> 16 & 255;

	if (minor < 11)
		return 0;
	return OBJECT_TYPE_MANAGED_DICT | (minor > 11 ? MANAGED_WEAKREF : 0);
}

int object_shape_find(const struct sp_pylayout *python, const struct pynames_layout *at,
		      uint64_t runtime, bool has_debug_hooks, struct object_shape *out)
{
	struct object_shape s = {
		.count = count_of(python),
		.is_low = runtime < LOW_END,
		.object_type = at->object_type,
		.object_size = at->object_size,
		.type_basicsize = at->type_basicsize,
		.type_flags = at->type_flags,
		.text_bytes = python->ascii_size + 1,
		.lead = has_debug_hooks ? HOOKS_LEAD : 0,
		.gc_head = python->is_free_threaded ? 0 : GC_HEAD,
		.managed = MANAGED,
		.managed_flags = managed_flags_of(python),
	};

	if (s.object_size > OBJECT_SHAPE_MOST_HEAD || s.object_type < WORD ||
	    s.object_type + WORD > s.object_size)
		return -EBADMSG;
	add_start(&s, s.lead);
	add_start(&s, s.lead + s.gc_head);
	if (s.managed_flags)
		add_start(&s, s.lead + s.gc_head + s.managed);
	*out = s;
	return 0;
}

static uint16_t start_of(const struct object_shape *s, uint64_t flags)
{
	return s->lead + (flags & OBJECT_TYPE_HAS_GC ? s->gc_head : 0) +
	       (flags & s->managed_flags ? s->managed : 0);
}

int object_shape_decode_type(const struct object_shape *s,
			     const uint8_t type[OBJECT_SHAPE_TYPE_BYTES], struct object_type *out)
{
	size_t size = s->type_basicsize, flags = s->type_flags;
	uint64_t basicsize, itemsize;
	bool is_text;

	if (size < NAME_BEFORE_BASICSIZE ||
	    size + ITEMSIZE_BEHIND_BASICSIZE + WORD > OBJECT_SHAPE_TYPE_BYTES ||
	    flags + DICT_BEHIND_FLAGS + WORD > OBJECT_SHAPE_TYPE_BYTES)
		return -EBADMSG;
	basicsize = word_at(type, size);
	itemsize = word_at(type, size + ITEMSIZE_BEHIND_BASICSIZE);
	*out = (struct object_type){
		.type = word_at(type, s->object_type),
		.flags = word_at(type, flags),
		.name = word_at(type, size - NAME_BEFORE_BASICSIZE),
		.base = word_at(type, flags + BASE_BEHIND_FLAGS),
		.dict = word_at(type, flags + DICT_BEHIND_FLAGS),
		.basicsize = basicsize,
		.itemsize = itemsize,
	};
	if (basicsize < s->object_size || basicsize > MOST_BASICSIZE || itemsize > MOST_ITEMSIZE ||
	    !(out->flags & OBJECT_TYPE_READY) || !out->name || !out->type)
		return -EBADMSG;
	is_text = out->flags & OBJECT_TYPE_IS_TEXT && !(out->flags & OBJECT_TYPE_ON_HEAP);
	out->start = start_of(s, out->flags);
	out->least = out->start + (is_text ? s->text_bytes : basicsize);
	return 0;
}

/* Whether @count is rather a pointer, where these are no bigger than counts are. */
static bool is_pointer(const struct object_shape *s, uint64_t count)
{
	return s->is_low && count >= LOWEST_IMAGE && count % WORD == 0;
}

/*
 * Objects kept on free lists have count 0; from 3.14 on their first word points to the next one,
 * which an arena holds, whose addresses need more than 32 bits. Up to 3.13 floats there, at most
 * 100, have that pointer for their type, and are taken for nothing.
 */
static enum object_state state_of_word(const struct object_shape *s, uint64_t word)
{
	if (!word)
		return OBJECT_UNUSED;
	if (s->count == OBJECT_COUNT_FLAGS) {
		if (word >> 32 & 0xffff)
			return word % 16 || word >> 47 ? OBJECT_NONE : OBJECT_UNUSED;
		return (uint32_t)word ? OBJECT_LIVE : OBJECT_NONE;
	}
	return word >> 32 || is_pointer(s, word) ? OBJECT_NONE : OBJECT_LIVE;
}

/*
 * ob_tid, a flag word, ob_mutex (two bits), ob_gc_bits, ob_ref_local, ob_ref_shared: the count
 * above two flags. What the GC defers counts as shared. ob_tid of one on a free list may stay.
 * An object that waits for its thread to drop it is held by the queue alone.
 */
static enum object_state state_of_halves(const uint8_t *object)
{
	uint64_t shared = word_at(object, 16), local = word_at(object, 8) >> 32;
	int64_t count = ((int64_t)shared >> 2) - ((shared & SHARED_FLAGS) == SHARED_QUEUED);

	if (word_at(object, 0) >> 47 || object[10] & ~3u)
		return OBJECT_NONE;
	count += (int64_t)local; /* of immortal ones UINT32_MAX */
	return count > 0 ? OBJECT_LIVE : count ? OBJECT_NONE : OBJECT_UNUSED;
}

enum object_state object_state(const struct object_shape *s, const uint8_t *object)
{
	switch (s->count) {
	case OBJECT_COUNT_WORD:
	case OBJECT_COUNT_HALF:
	case OBJECT_COUNT_FLAGS:
		return state_of_word(s, word_at(object, 0));
	case OBJECT_COUNT_SPLIT:
		return state_of_halves(object);
	}
	return OBJECT_NONE;
}
