/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_tree - a profile as a prefix tree of functions, with the weight of every node.
 *
 * A function is its name and its file. Node 0 is the root, which is no function; a parent
 * has a lower number than its children.
 */
#ifndef SPPROF_FLAME_TREE_H
#define SPPROF_FLAME_TREE_H

#include "profile/profile.h"
#include "profile/table.h"

#define FLAME_NONE UINT32_MAX

struct flame_function {
	profile_id name, file;
	uint32_t first_line; /* 0: unknown */
	enum profile_kind kind;
	int64_t self, total; /* total: once a stack, however often it is in there */
};

struct flame_node {
	uint32_t parent, function; /* FLAME_NONE at the root */
	int64_t self;
};

struct flame_tree {
	const struct profile *profile;
	struct table functions; /* struct flame_function */
	struct table nodes;	/* struct flame_node */
	uint32_t *node_of;	/* of each stack of the profile */
	int64_t *running;	/* of each node: its own weight and that of all below */
	int64_t without_stack;	/* weight that is in no node */
};

/*
 * Builds the tree of @p, which outlives it. 0, -ENOMEM, -ERANGE for a weight below 0,
 * -EOVERFLOW if the sum is no int64_t. Zeroed memory before; flame_tree_fini() in any case.
 */
int flame_tree_init(struct flame_tree *t, const struct profile *p);
void flame_tree_fini(struct flame_tree *t);

static inline struct flame_node *flame_node(const struct flame_tree *t, uint32_t node)
{
	return table_row(&t->nodes, node);
}

static inline struct flame_function *flame_function(const struct flame_tree *t, uint32_t function)
{
	return table_row(&t->functions, function);
}

/* Fills in `self` and `total` of the functions (flame_totals.c). 0 or -ENOMEM. */
int flame_tree_sum_functions(struct flame_tree *t);

static inline void flame_tree_cleanup(struct flame_tree *t)
{
	flame_tree_fini(t);
}

#endif
