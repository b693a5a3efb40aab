/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slice - one second of the windows: a row for each stack and thread. What slices hold between
 * them is counted once, in their holdings.
 */
#ifndef SPPROF_SLICE_H
#define SPPROF_SLICE_H

#include "base/hash_index.h"
#include "daemon/stack_store.h"
#include "spprof_counters.h"

struct row {
	struct stack *stack; /* a reference, and one of its window_refs */
	struct thread *thread;
	uint64_t weight_ns;
	uint64_t count;
};

struct slice {
	uint64_t number; /* its start in slices since boot */
	struct row *rows;
	uint32_t count, room;
	struct hash_index index; /* of the rows, while it is open */
	uint64_t samples, refused;
	uint64_t lost[SP_LOST_MAX];
};

struct holdings {
	uint64_t bytes;		    /* of slices, and of stacks, threads and names that they keep */
	struct process **processes; /* that have stacks here; references are the stacks' */
	uint32_t count, room;
};

void holdings_fini(struct holdings *h);

/* A process that runs keeps its names anyway; those of one that ended are the slices'. */
void holdings_count_names(struct holdings *h);

/* NULL when out of memory. */
struct slice *slice_new(struct holdings *h, uint64_t number);
void slice_free(struct slice *s, struct holdings *h);

/*
 * The row of @stack and @thread, or a new one; NULL without memory. In a closed slice every row
 * is new: what comes very late is not worth an index.
 */
struct row *slice_row(struct slice *s, struct holdings *h, struct stack *stack,
		      struct thread *thread);

/* Nothing more is expected: gives back what only additions need. */
void slice_close(struct slice *s, struct holdings *h);

#endif
