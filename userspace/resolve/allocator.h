/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocator - what gives a running CPython the memory of its objects, and where it keeps its books.
 *
 * Found from outside, on stripped builds too: by what the process's memory holds, not by names.
 */
#ifndef SPPROF_ALLOCATOR_H
#define SPPROF_ALLOCATOR_H

#include "resolve/interpreter.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define ALLOCATOR_MOST_HEAPS 64 /* interpreters with a pymalloc of their own */

enum allocator_kind {
	ALLOCATOR_PYMALLOC,
	ALLOCATOR_MIMALLOC, /* free-threaded builds, and PYTHONMALLOC=mimalloc */
};

/* A pymalloc's array of arena_object. */
struct allocator_heap {
	uint64_t at; /* the address of the variable that points to it: it moves when it grows */
	uint64_t arenas;
	uint32_t arena_count; /* entries, those not in use too */
};

struct allocator {
	enum allocator_kind kind;
	bool has_debug_hooks; /* PYTHONMALLOC=debug, -X dev: blocks begin with their size and an id */
	bool is_hooked;	      /* somebody stands before the allocator: tracemalloc, memray, … */
	bool is_traced;	      /* tracemalloc does */

	/* Of pymalloc. */
	uint32_t pool_bytes, arena_bytes;
	unsigned int heap_count, heaps_left_out;
	struct allocator_heap heaps[ALLOCATOR_MOST_HEAPS]; /* the main interpreter's first */
};

/*
 * Looks for the allocator of object memory of @pid, in which @in was found.
 * 0 and *@out; -ENOTSUP and *@why, a text for people that lives as long as the program: it uses
 * one that cannot be read from outside (PYTHONMALLOC=malloc), or its books were not found;
 * -ESRCH, -EPERM, -ENOMEM. It runs on meanwhile: an array that grows moves.
 */
int allocator_find(pid_t pid, const struct interpreter *in, struct allocator *out,
		   const char **why);

#endif
