/* SPDX-License-Identifier: Apache-2.0 */
#include "export/flame_tree.h"

#include <errno.h>
#include <string.h>

#define FUNCTION_KEY offsetof(struct flame_function, first_line)
#define NODE_KEY offsetof(struct flame_node, self)
_Static_assert(FUNCTION_KEY == 8 && NODE_KEY == 8, "keys without padding");

void flame_tree_fini(struct flame_tree *t)
{
	table_fini(&t->functions);
	table_fini(&t->nodes);
	free(t->node_of);
	free(t->running);
	*t = (struct flame_tree){ 0 };
}

/* The function of a profile's frame, by name and file. */
static int add_function(struct flame_tree *t, profile_id frame, uint32_t *id)
{
	uint32_t count;
	profile_id function = profile_frames(t->profile, &count)[frame].function;
	const struct profile_function *from = &profile_functions(t->profile, &count)[function];
	struct flame_function row = {
		.name = from->name,
		.file = from->file,
		.first_line = from->first_line,
		.kind = from->kind,
	};

	return table_add(&t->functions, &row, id);
}

/* A prefix has a lower id than what it is a prefix of, so one pass does. */
static int add_nodes(struct flame_tree *t)
{
	struct flame_node node = { .parent = FLAME_NONE, .function = FLAME_NONE };
	uint32_t count, root;
	const struct profile_stack *stacks = profile_stacks(t->profile, &count);
	int err = table_add(&t->nodes, &node, &root);

	t->node_of = calloc(count + 1ul, sizeof(*t->node_of));
	if (!t->node_of)
		return -ENOMEM;
	for (uint32_t i = 0; i < count && !err; i++) {
		profile_id prefix = stacks[i].prefix;

		node.parent = prefix == PROFILE_NONE ? root : t->node_of[prefix];
		err = add_function(t, stacks[i].frame, &node.function);
		if (!err)
			err = table_add(&t->nodes, &node, &t->node_of[i]);
	}
	hash_index_fini(&t->nodes.index); /* no more nodes: the memory is better used elsewhere */
	return err;
}

/* 0, -ERANGE or -EOVERFLOW. */
static int add_samples(struct flame_tree *t)
{
	uint32_t count;
	const struct profile_sample *samples = profile_samples(t->profile, &count);
	int64_t sum = 0;

	for (uint32_t i = 0; i < count; i++) {
		int64_t weight = samples[i].weight;

		if (weight < 0)
			return -ERANGE;
		if (__builtin_add_overflow(sum, weight, &sum))
			return -EOVERFLOW;
		if (samples[i].stack == PROFILE_NONE)
			t->without_stack += weight;
		else
			flame_node(t, t->node_of[samples[i].stack])->self += weight;
	}
	return 0;
}

static int sum_up(struct flame_tree *t)
{
	t->running = calloc(t->nodes.count, sizeof(*t->running));
	if (!t->running)
		return -ENOMEM;
	for (uint32_t i = t->nodes.count; i-- > 0;) {
		const struct flame_node *node = flame_node(t, i);

		t->running[i] += node->self;
		if (i)
			t->running[node->parent] += t->running[i];
	}
	return 0;
}

int flame_tree_init(struct flame_tree *t, const struct profile *p)
{
	int err;

	t->profile = p;
	/* Keys are small numbers of our own: nobody can choose them so that they collide. */
	table_init(&t->functions, sizeof(struct flame_function), FUNCTION_KEY, 0);
	table_init(&t->nodes, sizeof(struct flame_node), NODE_KEY, 0);
	err = add_nodes(t);
	if (!err)
		err = add_samples(t);
	return err ? err : sum_up(t);
}
