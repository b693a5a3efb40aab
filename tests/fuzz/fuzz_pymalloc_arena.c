/* SPDX-License-Identifier: Apache-2.0 */
/* Any arena_object: one whose pools lie in the arena, or none. */
#include "python/pymalloc_arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void decode(const uint8_t *object, const struct pymalloc_sizes *sizes)
{
	struct pymalloc_arena a;
	int err = pymalloc_decode_arena(object, sizes, &a);

	if (err) {
		if (err != -ENOENT && err != -EBADMSG)
			abort();
		return;
	}
	if (a.first_pool < a.address || a.first_pool % sizes->pool_bytes ||
	    a.first_pool + (uint64_t)a.pool_count * sizes->pool_bytes >
		    a.address + sizes->arena_bytes ||
	    a.untouched_from > a.pool_count || a.free_pools > a.pool_count)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const struct pymalloc_sizes sizes[] = { { 4096, 256 << 10 },
						       { 16384, 1 << 20 },
						       { 16384, 2 << 20 } };
	uint8_t object[PYMALLOC_ARENA_OBJECT_BYTES] = { 0 };

	memcpy(object, data, len < sizeof(object) ? len : sizeof(object));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		decode(object, &sizes[i]);
	return 0;
}
