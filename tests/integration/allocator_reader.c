/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocator-reader PID: what gives that Python the memory of its objects. Prints what
 * allocator_find() says, then a line a heap: its arenas' address, its entries, those in use and
 * those that are none.
 */
#include "python/pymalloc_arena.h"
#include "resolve/allocator.h"
#include "resolve/target_memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(pid_t pid, int err, const char *why)
{
	fprintf(stderr, "allocator-reader: cannot read %d: %s: %s\n", pid, strerror(-err), why);
	return 1;
}

static void print_heap(pid_t pid, const struct allocator *a, const struct allocator_heap *heap)
{
	const struct pymalloc_sizes sizes = { a->pool_bytes, a->arena_bytes };
	uint32_t used = 0, damaged = 0;

	for (uint32_t i = 0; i < heap->arena_count; i++) {
		uint8_t object[PYMALLOC_ARENA_OBJECT_BYTES];
		struct pymalloc_arena arena;
		int err = target_read(pid, heap->arenas + (uint64_t)i * sizeof(object), object,
				      sizeof(object));

		if (!err)
			err = pymalloc_decode_arena(object, &sizes, &arena);
		used += !err;
		damaged += err && err != -ENOENT;
	}
	printf("heap %" PRIx64 " entries %u used %u damaged %u\n", heap->arenas, heap->arena_count,
	       used, damaged);
}

static void print_allocator(const struct allocator *a)
{
	printf("%s%s%s%s\n", a->kind == ALLOCATOR_MIMALLOC ? "mimalloc" : "pymalloc",
	       a->has_debug_hooks ? " debug" : "", a->is_hooked ? " hooked" : "",
	       a->is_traced ? " traced" : "");
	printf("pool %u arena %u left out %u\n", a->pool_bytes, a->arena_bytes, a->heaps_left_out);
}

int main(int argc, char **argv)
{
	OWNS(file_memory) struct file_memory *files = file_memory_new();
	pid_t pid = argc == 2 ? atoi(argv[1]) : 0;
	struct interpreter in;
	struct allocator a;
	const char *why = "";
	int err;

	if (pid <= 0) {
		fprintf(stderr, "usage: allocator-reader PID\n");
		return 2;
	}
	err = files ? interpreter_find(pid, files, &in, &why) : -ENOMEM;
	if (!err)
		err = allocator_find(pid, &in, &a, &why);
	if (err)
		return fail(pid, err, why ? why : "");
	print_allocator(&a);
	for (unsigned int i = 0; i < a.heap_count; i++)
		print_heap(pid, &a, &a.heaps[i]);
	return 0;
}
