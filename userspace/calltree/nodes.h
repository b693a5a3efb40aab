/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nodes - call nodes: functions and where they are called from, with what they weigh.
 *
 * A node that weighs nothing and has no child that is shown is not shown.
 */
#ifndef SPPROF_CALLTREE_NODES_H
#define SPPROF_CALLTREE_NODES_H

#include "calltree/stacks.h"

struct tree_node {
	uint32_t parent; /* TREE_NONE: a root */
	uint32_t function;
	int64_t self, running;
	uint32_t first, count; /* its children: order[first], … */
};

struct tree_nodes {
	const struct tree_functions *functions;
	struct tree_node *rows; /* parents before children */
	uint32_t count;
	uint32_t *order; /* siblings by |running|, largest first, then by function */
	uint32_t first_root, root_count;
	int64_t root_total; /* Σ|self|: what shares are of */
};

/* Every group. */
#define TREE_ALL_GROUPS UINT32_MAX

/* The nodes of the samples of @group. 0 and *@out, or -ENOMEM. */
int tree_nodes_make(const struct tree_stacks *s, uint32_t group, struct tree_nodes *out);
void tree_nodes_fini(struct tree_nodes *n);

static inline void tree_nodes_cleanup(struct tree_nodes *n)
{
	tree_nodes_fini(n);
}

static inline bool tree_node_is_shown(const struct tree_node *node)
{
	return node->running || node->count;
}

/* The order of siblings: negative if @a comes first. */
int tree_order(int64_t a_running, uint32_t a_function, int64_t b_running, uint32_t b_function);

#endif
