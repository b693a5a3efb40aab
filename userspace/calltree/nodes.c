/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/nodes.h"
#include "calltree/stack_rows.h"

#include <errno.h>

void tree_nodes_fini(struct tree_nodes *n)
{
	free(n->rows);
	free(n->order);
	*n = (struct tree_nodes){ 0 };
}

int tree_order(int64_t a_running, uint32_t a_function, int64_t b_running, uint32_t b_function)
{
	/* Not weight_size(): the smallest of all weights is larger than the largest. */
	uint64_t a = a_running < 0 ? -(uint64_t)a_running : (uint64_t)a_running;
	uint64_t b = b_running < 0 ? -(uint64_t)b_running : (uint64_t)b_running;

	if (a != b)
		return a > b ? -1 : 1;
	return (a_function > b_function) - (a_function < b_function);
}

static int copy_rows(const struct tree_stack *rows, uint32_t count, struct tree_nodes *n)
{
	n->rows = malloc((count + 1ul) * sizeof(*n->rows));
	if (!n->rows)
		return -ENOMEM;
	n->count = count;
	for (uint32_t i = 0; i < count; i++)
		n->rows[i] = (struct tree_node){ .parent = rows[i].parent,
						 .function = rows[i].function };
	return 0;
}

/* Rows that differ in their category only are one node. @node_of has the node of each row. */
static int merge_rows(const struct tree_stacks *s, uint32_t *node_of, struct tree_nodes *n)
{
	struct stack_rows merged;
	int err = 0;

	stack_rows_init(&merged, s->functions->rows.seed);
	for (uint32_t i = 0; i < s->count && !err; i++) {
		struct tree_stack row = { .parent = s->rows[i].parent,
					  .function = s->rows[i].function };

		if (row.parent != TREE_NONE)
			row.parent = node_of[row.parent];
		err = stack_rows_add(&merged, &row, &node_of[i]);
	}
	if (!err)
		err = copy_rows(merged.rows, merged.count, n);
	stack_rows_fini(&merged);
	return err;
}

static int make_rows(const struct tree_stacks *s, uint32_t group, struct tree_nodes *n)
{
	OWNS_MEM uint32_t *node_of = NULL;
	int err;

	if (s->has_categories) {
		node_of = malloc((s->count + 1ul) * sizeof(*node_of));
		err = node_of ? merge_rows(s, node_of, n) : -ENOMEM;
	} else {
		err = copy_rows(s->rows, s->count, n);
	}
	if (err)
		return err;
	for (uint32_t i = 0; i < s->sample_count; i++) {
		const struct tree_sample *sample = &s->samples[i];
		uint32_t node = node_of ? node_of[sample->stack] : sample->stack;

		if (group == TREE_ALL_GROUPS || sample->group == group)
			weight_add(&n->rows[node].self, sample->weight);
	}
	return 0;
}

/* Sums up to the roots, and counts the children that are shown. */
static void sum_up(struct tree_nodes *n)
{
	for (uint32_t i = n->count; i-- > 0;) {
		struct tree_node *node = &n->rows[i];

		weight_add(&node->running, node->self);
		weight_add(&n->root_total, weight_size(node->self));
		if (node->parent == TREE_NONE) {
			n->root_count += tree_node_is_shown(node);
		} else {
			n->rows[node->parent].count += tree_node_is_shown(node);
			weight_add(&n->rows[node->parent].running, node->running);
		}
	}
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct tree_node *rows = ctx;
	const struct tree_node *left = &rows[*(const uint32_t *)a];
	const struct tree_node *right = &rows[*(const uint32_t *)b];

	return tree_order(left->running, left->function, right->running, right->function);
}

static void sort(const struct tree_nodes *n, uint32_t first, uint32_t count)
{
	uint32_t *order = n->order + first;

	if (count > 1)
		qsort_r(order, count, sizeof(*order), compare, n->rows);
}

/* Puts siblings side by side: each node has its range, filled from its end. */
static int order_children(struct tree_nodes *n)
{
	uint32_t end = n->root_count;

	n->order = malloc((n->count + 1ul) * sizeof(*n->order));
	if (!n->order)
		return -ENOMEM;
	for (uint32_t i = 0; i < n->count; i++) {
		end += n->rows[i].count;
		n->rows[i].first = end;
	}
	n->first_root = n->root_count;
	for (uint32_t i = n->count; i-- > 0;) {
		struct tree_node *node = &n->rows[i];

		if (!tree_node_is_shown(node))
			continue;
		if (node->parent == TREE_NONE)
			n->order[--n->first_root] = i;
		else
			n->order[--n->rows[node->parent].first] = i;
	}
	sort(n, n->first_root, n->root_count);
	for (uint32_t i = 0; i < n->count; i++)
		sort(n, n->rows[i].first, n->rows[i].count);
	return 0;
}

int tree_nodes_make(const struct tree_stacks *s, uint32_t group, struct tree_nodes *out)
{
	OWNS(tree_nodes) struct tree_nodes n = { .functions = s->functions };
	int err = make_rows(s, group, &n);

	if (err)
		return err;
	sum_up(&n);
	err = order_children(&n);
	if (err)
		return err;
	*out = n;
	n = (struct tree_nodes){ 0 };
	return 0;
}
