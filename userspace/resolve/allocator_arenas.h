/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocator_arenas - finds pymalloc's arrays of arena_object by what they hold: entries that fit
 * together, and a pool that says of itself which entry it belongs to.
 */
#ifndef SPPROF_ALLOCATOR_ARENAS_H
#define SPPROF_ALLOCATOR_ARENAS_H

#include "python/pymalloc_arena.h"
#include "resolve/allocator_places.h"
#include "resolve/target_memory.h"

#define ALLOCATOR_MOST_READS 200000 /* in search of an array, of a page each; measured: 5,600 */

struct arenas_found {
	uint64_t at;	 /* the address of the variable that points to them */
	uint64_t arenas; /* the first entry */
	uint32_t count;
	struct pymalloc_sizes sizes;
};

/*
 * Whether an array begins at @arenas. 0 and the rest of *@out; -ENOENT: what is there is none,
 * or one that has no arena; what else the reader says, but for -EFAULT.
 */
int allocator_arenas_check(const struct target_reader *memory, uint64_t arenas,
			   struct arenas_found *out);

/*
 * Searches the variables of the Python. 0 and *@out; -ENOENT: nothing points to one; -E2BIG: too
 * much was tried in vain; what else the reader says, but for -EFAULT.
 */
int allocator_arenas_find(const struct target_reader *memory, const struct allocator_places *places,
			  struct arenas_found *out);

#endif
