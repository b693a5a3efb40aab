/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object_shape - where in a block of the allocator an object begins, and whether the words there
 * can be one's. Bytes of another process: any are legal.
 *
 * Builds without a GIL count references in two halves and have no GC head: object_shape_find()
 * gives them offsets of their own, object_state() a case of its own.
 */
#ifndef SPPROF_OBJECT_SHAPE_H
#define SPPROF_OBJECT_SHAPE_H

#include "python/pynames_layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OBJECT_SHAPE_MOST_STARTS 4
#define OBJECT_SHAPE_TYPE_BYTES 512 /* of a PyTypeObject, as far as it is looked at */
#define OBJECT_SHAPE_MOST_HEAD 32   /* of a PyObject */

/* tp_flags, the same in every version that has them. */
#define OBJECT_TYPE_INLINE_VALUES (1u << 2)
#define OBJECT_TYPE_MANAGED_DICT (1u << 4)
#define OBJECT_TYPE_ON_HEAP (1u << 9)
#define OBJECT_TYPE_READY (1u << 12)
#define OBJECT_TYPE_HAS_GC (1u << 14)
#define OBJECT_TYPE_IS_LIST (1u << 25)
#define OBJECT_TYPE_IS_TEXT (1u << 28)
#define OBJECT_TYPE_IS_DICT (1u << 29)
#define OBJECT_TYPE_IS_TYPE (1u << 31)

enum object_count {
	OBJECT_COUNT_WORD,  /* up to 3.11 */
	OBJECT_COUNT_HALF,  /* 3.12, 3.13: immortal ones have all 32 bits, or the highest, set */
	OBJECT_COUNT_FLAGS, /* from 3.14: 32 bits, 16 unused ones, flags; see object_state() */
	OBJECT_COUNT_SPLIT, /* free-threaded: ob_tid, ob_ref_local, ob_ref_shared */
};

/* Of one process. */
struct object_shape {
	enum object_count count;
	bool is_low; /* it was linked to low addresses: numbers may be pointers */
	uint16_t object_type, object_size, type_basicsize, type_flags;
	uint16_t text_bytes;	/* of the shortest str */
	uint16_t lead;		/* bytes that debug hooks put before what was asked for; or 0 */
	uint16_t gc_head;	/* 16 or 0 */
	uint16_t managed;	/* bytes before that of objects whose type has one of … */
	uint32_t managed_flags; /* … these tp_flags; 0: this version has none */

	/* From a block's start, those that occur, ascending. */
	uint16_t starts[OBJECT_SHAPE_MOST_STARTS];
	unsigned int start_count;
};

/* What a PyTypeObject says. */
struct object_type {
	uint64_t type; /* its own */
	uint64_t flags;
	uint64_t name, base, dict; /* addresses, or 0 */
	uint32_t basicsize, itemsize;
	uint32_t least; /* bytes of its smallest instance, from the block's start */
	uint16_t start; /* of its instances in their blocks */
};

enum object_state {
	OBJECT_NONE,   /* this is no object */
	OBJECT_LIVE,   /* it has references, or is immortal */
	OBJECT_UNUSED, /* it was one, and is kept for the next one of its type, if it is one at all */
};

/*
 * @runtime: address of _PyRuntime. @at was found for @python. 0; -EBADMSG: no object is like that,
 * which a process may say of its own.
 */
int object_shape_find(const struct sp_pylayout *python, const struct pynames_layout *at,
		      uint64_t runtime, bool has_debug_hooks, struct object_shape *out);

/*
 * 0 and *@out; -EBADMSG: this is no type whose instances an allocator holds. Whether its own type
 * is a type is for the caller to ask.
 */
int object_shape_decode_type(const struct object_shape *s,
			     const uint8_t type[OBJECT_SHAPE_TYPE_BYTES], struct object_type *out);

/* Of the object, not the block: its first @s->object_size bytes. */
enum object_state object_state(const struct object_shape *s, const uint8_t *object);

#endif
