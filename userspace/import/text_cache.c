/* SPDX-License-Identifier: Apache-2.0 */
#include "import/text_cache.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define MOST_BYTES (256u << 20) /* of entries; the index takes up to 26 for each more */

struct entry {
	uint32_t number, len; /* and @len bytes behind it */
};

void text_cache_init(struct text_cache *c)
{
	*c = (struct text_cache){ 0 };
	/* Before the kernel has any entropy, an address has to do. */
	if (getrandom(&c->seed, sizeof(c->seed), GRND_NONBLOCK) != sizeof(c->seed))
		c->seed = (uintptr_t)c;
}

void text_cache_fini(struct text_cache *c)
{
	buffer_fini(&c->entries);
	hash_index_fini(&c->index);
}

uint64_t text_cache_hash(const struct text_cache *c, const char *text, size_t len)
{
	return XXH3_64bits_withSeed(text, len, c->seed);
}

uint32_t text_cache_find(const struct text_cache *c, const char *text, size_t len, uint64_t hash)
{
	struct hash_probe probe = hash_index_find(&c->index, hash);
	uint32_t at;

	while (hash_probe_next(&probe, &at)) {
		const char *found = c->entries.data + (size_t)at * TEXT_CACHE_WORD;
		struct entry entry;

		memcpy(&entry, found, sizeof(entry));
		if (entry.len == len && memcmp(found + sizeof(entry), text, len) == 0)
			return entry.number;
	}
	return UINT32_MAX;
}

int text_cache_add(struct text_cache *c, const char *text, size_t len, uint64_t hash,
		   uint32_t number)
{
	struct entry entry = { .number = number, .len = (uint32_t)len };
	size_t at = c->entries.len;

	if (len > MOST_BYTES || at + len > MOST_BYTES)
		return 0;
	buffer_add(&c->entries, &entry, sizeof(entry));
	buffer_add(&c->entries, text, len);
	buffer_add(&c->entries, "\0\0\0\0\0\0\0", -len % TEXT_CACHE_WORD);
	if (buffer_error(&c->entries))
		return -ENOMEM;
	return hash_index_add(&c->index, hash, at / TEXT_CACHE_WORD);
}
