/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any memory: an allocator that holds together, or a reason why there is none, in bounded time. The
 * input is a minor version and then words of 12 bytes: where in the memory, and what.
 */
#include "resolve/allocator_search.h"
#include "resolve/exports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BASE 0x400000ull
#define CODE (BASE + 0x1000)
#define FOREIGN (BASE + 0x3000)
#define RUNTIME (BASE + 0x4000)
#define HEAP (BASE + 0x1c000)
#define FLAT_BYTES 0x40000u
#define ARENAS 0x10000000ull /* 2 MiB apart, one page of each is there */
#define ARENA_STEP 0x200000ull
#define PAGES 32
#define PAGE_BYTES 4096u
#define MOST_WORDS 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

struct memory {
	uint8_t bytes[FLAT_BYTES + PAGES * PAGE_BYTES];
};

static int read_memory(void *ctx, uint64_t address, void *dst, size_t len)
{
	const struct memory *m = ctx;
	uint64_t page = (address - ARENAS) / ARENA_STEP, within = (address - ARENAS) % ARENA_STEP;

	if (address >= BASE && address - BASE < FLAT_BYTES && len <= FLAT_BYTES - (address - BASE))
		memcpy(dst, m->bytes + (address - BASE), len);
	else if (address >= ARENAS && page < PAGES && within < PAGE_BYTES &&
		 len <= PAGE_BYTES - within)
		memcpy(dst, m->bytes + FLAT_BYTES + page * PAGE_BYTES + within, len);
	else
		return -EFAULT;
	return 0;
}

static void fill(struct memory *m, const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < MOST_WORDS && len >= 12; i++, data += 12, len -= 12) {
		uint32_t at;

		memcpy(&at, data, sizeof(at));
		memcpy(m->bytes + (at % (sizeof(m->bytes) / 8)) * 8, data + 4, 8);
	}
}

static void check(const struct allocator *a)
{
	if (a->kind != ALLOCATOR_PYMALLOC)
		return;
	if (!a->heap_count || a->heap_count > ALLOCATOR_MOST_HEAPS || !a->pool_bytes ||
	    a->pool_bytes & (a->pool_bytes - 1) || a->arena_bytes < a->pool_bytes)
		abort();
	for (unsigned int i = 0; i < a->heap_count; i++)
		if (a->heaps[i].arena_count < 16 || a->heaps[i].arena_count > 1u << 18)
			abort();
}

static void search(const struct target_reader *memory, unsigned int minor)
{
	struct place code[] = { { CODE, FOREIGN }, { FOREIGN, RUNTIME } };
	const struct allocator_places places = { .runtime = RUNTIME,
						 .base = BASE,
						 .end = HEAP,
						 .has_runtime = true,
						 .data = { { RUNTIME, HEAP } },
						 .data_count = 1,
						 .code = code,
						 .code_count = 2,
						 .own_code_end = 1 };
	const struct interpreter in = {
		.layout = { .version = 3u << 24 | minor << 16 | 0xf0,
			    .runtime_interpreters_head = minor < 13 ? 0 : 1024,
			    .object_type = 8 },
		.runtime = RUNTIME,
	};
	struct allocator a;
	const char *why = NULL;
	int err = allocator_search(memory, &places, &in, &a, &why);

	if (err && (err != -ENOTSUP || !why))
		abort();
	if (!err)
		check(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct memory *m = calloc(1, sizeof(*m));
	struct target_reader memory = { .read = read_memory, .ctx = m };
	uint64_t address, bytes;
	struct exports x;

	if (m && len) {
		fill(m, data + 1, len - 1);
		search(&memory, 8 + data[0] % 8);
		if (!exports_open(&memory, BASE, &x))
			(void)exports_find(&x, "PyObject_Malloc", &address, &bytes);
	}
	free(m);
	return 0;
}
