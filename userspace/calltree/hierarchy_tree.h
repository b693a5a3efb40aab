/* SPDX-License-Identifier: Apache-2.0 */
/* hierarchy_tree - paths of numbers, each once and with a weight, while they are made. */
#ifndef SPPROF_CALLTREE_HIERARCHY_TREE_H
#define SPPROF_CALLTREE_HIERARCHY_TREE_H

#include "calltree/stack_rows.h"

struct hierarchy_tree {
	struct stack_rows rows; /* function: the number */
	int64_t *weights;	/* of each row */
	uint32_t room;
};

void hierarchy_tree_init(struct hierarchy_tree *t);
void hierarchy_tree_fini(struct hierarchy_tree *t);

/*
 * Adds @weight to the path of row @parent (TREE_NONE: the empty one) and @number: *@row is
 * its row, and 0; or -ENOMEM.
 */
int hierarchy_tree_add(struct hierarchy_tree *t, uint32_t parent, uint32_t number, int64_t weight,
		       uint32_t *row);

static inline uint32_t hierarchy_tree_number(const struct hierarchy_tree *t, uint32_t row)
{
	return t->rows.rows[row].function;
}

static inline uint32_t hierarchy_tree_parent(const struct hierarchy_tree *t, uint32_t row)
{
	return t->rows.rows[row].parent;
}

static inline void hierarchy_tree_cleanup(struct hierarchy_tree *t)
{
	hierarchy_tree_fini(t);
}

#endif
