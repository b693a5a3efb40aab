/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_storage - memory that belongs to objects and is none: tables and arrays of containers.
 * Keys of dicts are known by what they look like; the rest is what its owners say, so that a
 * block is never taken for both.
 */
#ifndef SPPROF_HEAP_STORAGE_H
#define SPPROF_HEAP_STORAGE_H

#include "python/object_shape.h"
#include "resolve/address_set.h"
#include "resolve/heap_census.h"
#include "resolve/heap_ranges.h"
#include "resolve/target_memory.h"
#include "resolve/type_table.h"

#define HEAP_STORAGE_KEPT 4096

struct heap_storage_tally {
	struct target_reader memory;
	const struct object_shape *shape;
	const struct pynames_layout *at;
	const struct heap_ranges *ranges;
	uint64_t (*block_bytes)(uint64_t asked); /* that the allocator gives; multiples of 16 */
	struct heap_census_storage sums[HEAP_STORAGE_MAX];
	struct address_set outside_keys;
	uint32_t looks_left; /* reads of keys that values belong to */
	struct kept_values {
		uint64_t keys; /* address; 0: none */
		uint64_t bytes;
	} kept[HEAP_STORAGE_KEPT];
};

void heap_storage_init(struct heap_storage_tally *s);
void heap_storage_fini(struct heap_storage_tally *s);

/* An object with what belongs to it. */
struct heap_owner {
	uint64_t address;
	const uint8_t *bytes; /* from the object's start on */
	size_t length;	      /* of these */
	size_t before;	      /* that were copied before them */
	const struct met_type *type;
};

/* 0, -ENOMEM, or what the reader says if it is neither -EFAULT nor -EBADMSG. */
int heap_storage_add_owned(struct heap_storage_tally *s, const struct heap_owner *o);

/* Whether the block, of which @length bytes are at @bytes, is the keys of a dict: counted then. */
bool heap_storage_add_keys(struct heap_storage_tally *s, const uint8_t *bytes, size_t length,
			   uint64_t block_bytes);

/* Reads those keys that lie outside. As heap_storage_add_owned(). */
int heap_storage_finish(struct heap_storage_tally *s);

#endif
