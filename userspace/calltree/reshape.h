/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reshape - stacks from which frames go.
 *
 * Rows are visited in order, so a row's parent has its place before it. r.map[i] is the row
 * that takes the samples of row i, TREE_NONE if nothing is left of its stack.
 */
#ifndef SPPROF_CALLTREE_RESHAPE_H
#define SPPROF_CALLTREE_RESHAPE_H

#include "calltree/stack_rows.h"

struct reshape {
	const struct tree_stacks *in;
	struct stack_rows rows;
	uint32_t *map;
};

/* Each 0 or -ENOMEM. */
int reshape_init(struct reshape *r, const struct tree_stacks *in);
int reshape_finish(struct reshape *r, struct tree_stacks *out);
void reshape_cleanup(struct reshape *r);

/* Row @i is a child of @parent now, as @function. 0 or -ENOMEM. */
int reshape_place(struct reshape *r, uint32_t i, uint32_t parent, uint32_t function);

/* Where the stack above row @i is now. */
static inline uint32_t reshape_above(const struct reshape *r, uint32_t i)
{
	uint32_t parent = r->in->rows[i].parent;

	return parent == TREE_NONE ? TREE_NONE : r->map[parent];
}

/* Row @i stays, below what is left above it. 0 or -ENOMEM. */
static inline int reshape_keep(struct reshape *r, uint32_t i)
{
	return reshape_place(r, i, reshape_above(r, i), r->in->rows[i].function);
}

#endif
