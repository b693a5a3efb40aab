/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interning - finds the number of an entry that lives in somebody's array, and lets one thread of
 * many add it: claim, fill, publish.
 *
 *	struct interning_place at = { 0 };
 *	number = interning_find(&ix, hash, same, context, &at);
 *	if (number >= 0)
 *		return number;
 *	… make the entry …
 *	interning_publish(&at, number);		or interning_abandon(&at)
 *
 * base/hash_index.h is the one for a single thread. This one never grows, and whoever finds the
 * place claimed that they want waits the moment until it is published.
 */
#ifndef SPPROF_INTERNING_H
#define SPPROF_INTERNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INTERNING_NUMBER_MOST (UINT32_MAX - 2)
#define INTERNING_STEPS 1024 /* of a search: whoever chooses the hashes cannot make it longer */

struct interning {
	_Atomic uint64_t *slots; /* zeroed; half of the hash, number plus 1 */
	uint32_t mask;		 /* slots - 1, a power of two */
};

struct interning_place {
	_Atomic uint64_t *slot; /* NULL: none was free */
	uint64_t tag;
};

/* Whether the entry @number is the one that @context looks for. */
typedef bool interning_same(const void *context, uint32_t number);

/* The number; or -ENOENT, and the place is claimed; or -ENOSPC after INTERNING_STEPS. */
int64_t interning_find(const struct interning *ix, uint64_t hash, interning_same *same,
		       const void *context, struct interning_place *at);
void interning_publish(const struct interning_place *at, uint32_t number);
void interning_abandon(const struct interning_place *at);

/* Adds @some to @count unless that makes it more than @most: the number before, or -ENOSPC. */
int64_t interning_reserve(_Atomic uint32_t *count, uint32_t some, uint32_t most);

/* FNV-1a 64 (offset basis and prime: draft-eastlake-fnv), from @hash on; begin
 * with _BEGIN. */
#define INTERNING_HASH_BEGIN 0xcbf29ce484222325ull
uint64_t interning_hash(uint64_t hash, const void *bytes, size_t len);

#endif
