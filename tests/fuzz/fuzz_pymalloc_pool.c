/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any pool: the first byte says how large one is, the others are its bytes. A list of free blocks
 * cannot be met by chance, so what is given may also stand for offsets; see put_list().
 */
#include "python/pymalloc_pool.h"

#include <stdlib.h>
#include <string.h>

#define ADDRESS 0x7f0000004000ull
#define ARENA 0

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Makes each word of the list an offset into the pool. */
static void put_list(uint8_t *bytes, size_t pool_bytes)
{
	uint64_t word;

	for (size_t i = 8; i < pool_bytes; i = i == 8 ? PYMALLOC_POOL_HEAD_BYTES : i + 16) {
		memcpy(&word, bytes + i, sizeof(word));
		if (word)
			word = ADDRESS + word % pool_bytes;
		memcpy(bytes + i, &word, sizeof(word));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t pool_bytes = size && data[0] & 1 ? 16384 : 4096, live = 0;
	struct pymalloc_place at = { ADDRESS, pool_bytes, ARENA };
	struct pymalloc_pool pool;
	uint8_t *bytes;

	if (!size)
		return 0;
	bytes = calloc(1, pool_bytes);
	if (!bytes)
		return 0;
	memcpy(bytes, data + 1, size - 1 < pool_bytes ? size - 1 : pool_bytes);
	if (data[0] & 2)
		put_list(bytes, pool_bytes);
	if (!pymalloc_decode_pool(bytes, &at, &pool)) {
		for (uint32_t i = 0; i < pool.count; i++)
			live += !(pool.free_bits[i / 64] >> (i % 64) & 1);
		if (live != pool.live || pool.freed > pool.count - live ||
		    pool.count * pool.block_bytes > pool_bytes - 48)
			abort();
	}
	free(bytes);
	return 0;
}
