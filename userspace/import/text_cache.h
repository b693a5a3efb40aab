/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_cache - what a piece of a file's text was read as the first time.
 *
 * The texts are copied close together: it is the cache of the processor that counts here.
 * Full, it forgets nothing and takes no more.
 */
#ifndef SPPROF_IMPORT_TEXT_CACHE_H
#define SPPROF_IMPORT_TEXT_CACHE_H

#include "base/buffer.h"
#include "base/hash_index.h"

#include <stddef.h>
#include <stdint.h>

#define TEXT_CACHE_WORD 8 /* bytes; entries begin at a multiple of it */

struct text_cache {
	struct buffer entries;
	struct hash_index index; /* of where in @entries, in words */
	uint64_t seed;
};

void text_cache_init(struct text_cache *c);
void text_cache_fini(struct text_cache *c);

uint64_t text_cache_hash(const struct text_cache *c, const char *text, size_t len);

/* Say early what will be looked for: the first some time before the second. */
static inline void text_cache_prefetch(const struct text_cache *c, uint64_t hash)
{
	hash_index_prefetch(&c->index, hash);
}

static inline void text_cache_prefetch_text(const struct text_cache *c, uint64_t hash)
{
	struct hash_probe probe = hash_index_find(&c->index, hash);
	uint32_t at;

	if (hash_probe_next(&probe, &at))
		__builtin_prefetch(c->entries.data + (size_t)at * TEXT_CACHE_WORD);
}

/* The number of @text, or UINT32_MAX. */
uint32_t text_cache_find(const struct text_cache *c, const char *text, size_t len, uint64_t hash);

/* 0 or -ENOMEM. @text is not there yet. */
int text_cache_add(struct text_cache *c, const char *text, size_t len, uint64_t hash,
		   uint32_t number);

static inline void text_cache_cleanup(struct text_cache *c)
{
	text_cache_fini(c);
}

#endif
