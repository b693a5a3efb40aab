/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacks - the samples that a call tree is made of, and the stacks they lie in.
 *
 * Stacks are rows of a prefix tree of functions, parents before children; each row is part
 * of some sample's stack. Samples of one stack, group and sign that follow each other in the
 * profile are one. A transform makes new stacks of old ones, so that undoing it is to forget
 * them.
 */
#ifndef SPPROF_CALLTREE_STACKS_H
#define SPPROF_CALLTREE_STACKS_H

#include "calltree/functions.h"

struct tree_stack {
	uint32_t parent; /* TREE_NONE at the root */
	uint32_t function;
	uint32_t category; /* text */
};

struct tree_sample {
	uint32_t stack;
	uint32_t group; /* threads that share a tree; below 2^31 */
	int64_t weight; /* in the profile's unit; may be negative */
	uint64_t count; /* of the profile's samples in it */
};

struct tree_stacks {
	const struct tree_functions *functions; /* of whoever made the first stacks */
	struct tree_stack *rows;
	uint32_t count;
	struct tree_sample *samples;
	uint32_t sample_count;
	int64_t removed;     /* Σ|weight| of samples that transforms and filters took out */
	bool has_categories; /* a row's category is more than the kind of its function */
};

/* How samples become stacks. */
struct tree_fill {
	const uint32_t *group_of; /* of each thread of the profile; NULL: all are in group 0 */
	bool keeps_order;	  /* samples stay in the profile's order and are not summed up */
};

/*
 * What is in @p, with functions that go to @functions. A sample without a stack is left
 * out. 0 and *@out, or -ENOMEM.
 */
int tree_stacks_fill(const struct profile *p, const struct tree_fill *how,
		     struct tree_functions *functions, struct tree_stacks *out);

/*
 * @in, but the samples of row i lie in row @target[i]; TREE_NONE: they are removed. Rows that
 * no sample needs any more go. 0 and *@out, or -ENOMEM.
 */
int tree_stacks_move(const struct tree_stacks *in, const uint32_t *target, struct tree_stacks *out);

/* Σ|weight| of the samples. */
int64_t tree_stacks_total(const struct tree_stacks *s);

void tree_stacks_fini(struct tree_stacks *s);

static inline void tree_stacks_cleanup(struct tree_stacks *s)
{
	tree_stacks_fini(s);
}

/* An imported profile may hold any weights: sums end at the limits of their type. */
static inline void weight_add(int64_t *sum, int64_t weight)
{
	if (__builtin_add_overflow(*sum, weight, sum))
		*sum = weight < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t weight_size(int64_t weight)
{
	return weight == INT64_MIN ? INT64_MAX : weight < 0 ? -weight : weight;
}

#endif
