/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call trees the slow way: every transform is applied to one sample after the other, as its
 * definition reads. What calltree/ does in one pass over all stacks must come to the same.
 */
#ifndef TREE_MODEL_H
#define TREE_MODEL_H

#include "calltree/transform.h"
#include "calltree/walk.h"

#define MODEL_FUNCTIONS 6
#define MODEL_RESOURCES 2
#define MODEL_DEPTH 12
#define MODEL_SAMPLES 8

struct model_frame {
	int function; /* MODEL_FUNCTIONS + n: what resource n became */
	int category;
};

struct model_sample {
	struct model_frame frames[MODEL_DEPTH]; /* root first */
	int count;				/* 0: the sample has left the tree */
	int64_t weight;
};

struct model {
	struct model_sample samples[MODEL_SAMPLES];
	int count;
	int64_t removed;
	int rank[MODEL_FUNCTIONS + MODEL_RESOURCES]; /* by first appearance */
};

/* The next of a row of numbers that look random. */
uint32_t model_random(uint64_t *state, uint32_t below);

void model_make(struct model *m, uint64_t *state);
struct profile *model_profile(const struct model *m);

/* A transform that fits some sample more often than not. */
void model_transform(const struct model *m, uint64_t *state, struct transform *t);
void model_apply(struct model *m, const struct transform *t);
void model_filter(struct model *m, enum tree_implementation impl);

/* As tree_lines() has it. */
void model_lines(const struct model *m, enum walk_direction direction, struct buffer *out);

#endif
