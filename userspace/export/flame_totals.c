/* SPDX-License-Identifier: Apache-2.0 */
/* What each function of a flame_tree weighs: a walk over the whole tree, without recursion. */
#include "export/flame_tree.h"

#include <errno.h>

struct walk {
	struct flame_tree *tree;
	uint32_t *first_child, *next_sibling; /* of each node; 0: none */
	uint32_t *open; /* of each function: how often it is on the way from the root */
};

static void walk_cleanup(struct walk *w)
{
	free(w->first_child);
	free(w->next_sibling);
	free(w->open);
}

static int link_nodes(struct walk *w)
{
	uint32_t count = w->tree->nodes.count;

	w->first_child = calloc(count, sizeof(*w->first_child));
	w->next_sibling = calloc(count, sizeof(*w->next_sibling));
	w->open = calloc(w->tree->functions.count + 1ul, sizeof(*w->open));
	if (!w->first_child || !w->next_sibling || !w->open)
		return -ENOMEM;
	for (uint32_t i = count; i-- > 1;) {
		uint32_t parent = flame_node(w->tree, i)->parent;

		w->next_sibling[i] = w->first_child[parent];
		w->first_child[parent] = i;
	}
	return 0;
}

static void enter(struct walk *w, uint32_t at)
{
	const struct flame_node *node = flame_node(w->tree, at);
	struct flame_function *function = flame_function(w->tree, node->function);

	function->self += node->self;
	if (w->open[node->function]++ == 0)
		function->total += w->tree->running[at];
}

/* Leaves @at, and whatever has no sibling above it; the next node, or 0. */
static uint32_t leave(struct walk *w, uint32_t at)
{
	for (; at; at = flame_node(w->tree, at)->parent) {
		w->open[flame_node(w->tree, at)->function]--;
		if (w->next_sibling[at])
			return w->next_sibling[at];
	}
	return 0;
}

int flame_tree_sum_functions(struct flame_tree *t)
{
	OWNS(walk) struct walk w = { .tree = t };

	if (link_nodes(&w))
		return -ENOMEM;
	for (uint32_t at = w.first_child[0]; at;) {
		enter(&w, at);
		at = w.first_child[at] ? w.first_child[at] : leave(&w, at);
	}
	return 0;
}
