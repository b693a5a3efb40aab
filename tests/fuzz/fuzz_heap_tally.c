/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any memory, and blocks in it: the first byte says which version it is read as, the second how
 * large blocks are; 4096 bytes are blocks, the others are what lies at FLAT_BASE.
 */
#include "resolve/heap_tally.h"

#include "base/utf8.h"
#include "flat_memory.h"

#include <stdlib.h>
#include <string.h>

#define BLOCKS 0x7f0000100000ull
#define BLOCKS_BYTES 4096u
#define TABLE_BYTES 1024

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct heap_census *c, uint64_t live_bytes)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < c->type_count; i++) {
		const struct heap_census_type *type = &c->types[i];

		if (!type->objects || !utf8_is_valid(type->name, strlen(type->name)) ||
		    !utf8_is_valid(type->module, strlen(type->module)))
			abort();
		bytes += type->bytes;
	}
	if (c->explained_bytes > live_bytes || bytes - c->large_bytes > live_bytes)
		abort();
}

static void tally(const struct heap_tally_facts *facts, const struct heap_blocks *blocks)
{
	__attribute__((cleanup(heap_census_cleanup))) struct heap_census c = { 0 };
	int err;
	OWNS(heap_tally) struct heap_tally *t = heap_tally_new(facts, &err);

	if (!t)
		return;
	if (!heap_tally_add_range(t, BLOCKS, BLOCKS + BLOCKS_BYTES) && !heap_tally_add(t, blocks) &&
	    !heap_tally_finish(t, &c))
		check(&c, blocks->count * blocks->block_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t none_free[BLOCKS_BYTES / 16 / 64];
	unsigned int minor = size ? 8 + data[0] % 8 : 8;
	struct flat_memory memory;
	struct interpreter in = { .runtime = FLAT_BASE,
				  .layout = { .version = 3u << 24 | minor << 16 | 0xf0,
					      .runtime_interpreters_head =
						      minor < 13 ? 0 : TABLE_BYTES,
					      .object_type = 8,
					      .unicode_length = 16,
					      .unicode_state = 32,
					      .ascii_size = minor < 12 ? 48 : 40,
					      .compact_size = minor < 12 ? 72 : 56,
					      .unicode_kind = 2 } };
	struct heap_tally_facts facts = { .memory = { .read = flat_memory_read, .ctx = &memory },
					  .in = &in };
	struct heap_blocks blocks = {
		.address = BLOCKS, .bytes = data + 2, .length = BLOCKS_BYTES, .free_bits = none_free
	};

	if (size < 2 + BLOCKS_BYTES)
		return 0;
	memory = (struct flat_memory){ data + 2 + BLOCKS_BYTES, size - 2 - BLOCKS_BYTES };
	facts.has_debug_hooks = data[0] & 64;
	facts.has_types_inside = data[0] & 32;
	in.layout.is_free_threaded = data[0] & 128;
	blocks.block_bytes = 16 * (1 + data[1] % 32);
	blocks.count = BLOCKS_BYTES / blocks.block_bytes;
	tally(&facts, &blocks);
	return 0;
}
