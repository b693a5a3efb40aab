/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process goes on while it is read: an entry in the middle of a change is refused, but for
 * the one pool that is just being taken.
 */
#include "python/pymalloc_arena.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define PAGE_BYTES 4096

/* Whether @pool is one of @arena's that were given out, or none. */
static bool is_pool_or_none(uint64_t pool, const struct pymalloc_arena *arena, uint32_t pool_bytes)
{
	uint64_t from = pool - arena->first_pool;

	return !pool || (from % pool_bytes == 0 && from / pool_bytes < arena->untouched_from);
}

int pymalloc_decode_arena(const uint8_t object[PYMALLOC_ARENA_OBJECT_BYTES],
			  const struct pymalloc_sizes *sizes, struct pymalloc_arena *out)
{
	struct pymalloc_arena found;
	struct pymalloc_arena_object o;
	uint64_t touched;

	memcpy(&o, object, sizeof(o));
	if (!o.address)
		return -ENOENT;
	if (o.address % PAGE_BYTES || o.address >= PYMALLOC_ADDRESS_END - sizes->arena_bytes)
		return -EBADMSG;
	found.address = o.address;
	found.first_pool = (o.address + sizes->pool_bytes - 1) & ~(sizes->pool_bytes - 1ull);
	found.pool_count = (o.address + sizes->arena_bytes - found.first_pool) / sizes->pool_bytes;
	touched = o.pool_address - found.first_pool;
	if (o.pools != found.pool_count || touched % sizes->pool_bytes ||
	    touched / sizes->pool_bytes > found.pool_count)
		return -EBADMSG;
	found.untouched_from = touched / sizes->pool_bytes;
	found.free_pools = o.free_pools;
	if (found.free_pools > found.pool_count ||
	    found.free_pools + 1 < found.pool_count - found.untouched_from)
		return -EBADMSG;
	if (!is_pool_or_none(o.free_list, &found, sizes->pool_bytes))
		return -EBADMSG;
	*out = found;
	return 0;
}
