/* SPDX-License-Identifier: Apache-2.0 */
/*
 * type_table - the types that a process's objects have: each read once, and believed if it is a
 * type whose own type is one, and so on up to the one that is its own.
 */
#ifndef SPPROF_TYPE_TABLE_H
#define SPPROF_TYPE_TABLE_H

#include "python/object_shape.h"
#include "resolve/heap_ranges.h"
#include "resolve/target_memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TYPE_TABLE_REFUSED 16384

/* Whose objects have memory beside their own. */
enum type_owns {
	TYPE_OWNS_NOTHING,
	TYPE_OWNS_LIST,
	TYPE_OWNS_DICT,
	TYPE_OWNS_SET,
};

struct met_type {
	uint64_t address;
	struct object_type is;
	enum type_owns owns;
	uint64_t objects, bytes;
};

struct type_table {
	struct target_reader memory;
	const struct object_shape *shape;
	const struct heap_ranges *ranges;
	bool has_types_inside; /* of the ranges: pymalloc's arenas hold none, they are too large */
	uint64_t factor;       /* odd, and not to be guessed */
	uint64_t root;	       /* the type that is its own */

	struct met_type *met;
	uint32_t count, room;
	struct met_type beyond; /* the last one of those that are too many, and their sums */
	struct type_slot {
		uint64_t address; /* 0: empty */
		uint32_t number;
	} * slots;
	unsigned int bits; /* of the number of slots */

	uint32_t looks_left;		      /* reads of what may be a type */
	uint64_t refused[TYPE_TABLE_REFUSED]; /* addresses where there is none */
	bool was_spared;		      /* a look that was too many; the user resets it */
};

/* 0; -EBADMSG: no type at @root, or it is not its own; -ENOMEM, -ESRCH, -EPERM. */
int type_table_init(struct type_table *t, uint64_t root);
void type_table_fini(struct type_table *t);

/*
 * The type at @address, which is read if it was not met before. NULL: there is none, or *@err,
 * which is 0 before. What is found is valid until the next call.
 */
struct met_type *type_table_look(struct type_table *t, uint64_t address, int *err);

/* One that was met, or NULL: without a read. */
static inline struct met_type *type_table_find(const struct type_table *t, uint64_t address)
{
	size_t last = ((size_t)1 << t->bits) - 1, i = address * t->factor >> (64 - t->bits);

	for (; t->slots[i].address; i = (i + 1) & last)
		if (t->slots[i].address == address)
			return &t->met[t->slots[i].number];
	return NULL;
}

#endif
