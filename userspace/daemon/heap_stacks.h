/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_stacks - from the stack of a record to a stack of named frames, once for each.
 *
 * Frames that have the same function, file, line and kind are one frame, so equal lines are equal
 * stacks, in whatever code objects, processes and sessions. In the sampler's thread.
 */
#ifndef SPPROF_HEAP_STACKS_H
#define SPPROF_HEAP_STACKS_H

#include "daemon/process.h"
#include "heap/stack_table.h"
#include "resolve/native_names.h"
#include "spprof_event.h"

struct heap_stacks;

/* @table outlives it. NULL when out of memory. */
struct heap_stacks *heap_stacks_new(struct stack_table *table);
void heap_stacks_free(struct heap_stacks *s); /* NULL is fine */
DEFINE_OWNS(heap_stacks);

struct heap_stack {
	uint32_t id;   /* in the table, or HEAP_NO_STACK */
	uint64_t line; /* of the newest Python frame: equal for equal ones; 0: not known */
};

/*
 * The stack of @a, which @p ran: native frames above those of Python, newest first. The
 * native ones are left out if @names is NULL.
 */
struct heap_stack heap_stacks_find(struct heap_stacks *s, struct process *p,
				   const struct sp_alloc *a, struct native_names *names);

#endif
