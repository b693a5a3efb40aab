/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocator_tables - the function tables through which a Python allocates (PyMemAllocatorEx), and
 * what stands before the one that does the work. Read live: anybody may have put in its own.
 */
#ifndef SPPROF_ALLOCATOR_TABLES_H
#define SPPROF_ALLOCATOR_TABLES_H

#include "resolve/allocator_places.h"
#include "resolve/target_memory.h"

/* PyMemAllocatorDomain */
enum { ALLOCATOR_RAW, ALLOCATOR_MEM, ALLOCATOR_OBJ, ALLOCATOR_DOMAINS };

struct allocator_table {
	uint64_t ctx;
	uint64_t functions[4]; /* malloc, calloc, realloc, free */
};

/* What one domain's requests go through. */
struct allocator_chain {
	struct allocator_table last; /* that we could follow to */
	bool is_last_known;	     /* it is the Python's own, and works itself */
	bool has_debug_hooks;
	bool is_traced; /* by tracemalloc */
	bool is_hooked; /* by tracemalloc or by code that is not the Python's */
};

/*
 * Finds the tables and follows them. 0 and @out of each domain; -ENOENT they were not found; what
 * else the reader says. Any content is legal.
 */
int allocator_tables_read(const struct target_reader *memory, const struct allocator_places *places,
			  struct allocator_chain out[ALLOCATOR_DOMAINS]);

/* Whether both have the same functions. */
bool allocator_tables_are_same(const struct allocator_table *a, const struct allocator_table *b);

#endif
