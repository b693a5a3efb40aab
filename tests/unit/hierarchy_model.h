/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hierarchies the slow way: each sample's functions are looked at one by one, as the
 * definitions read. Functions are letters, so that paths are words.
 */
#ifndef HIERARCHY_MODEL_H
#define HIERARCHY_MODEL_H

#include "calltree/hierarchy.h"

#define MODEL_LETTERS 26
#define MODEL_DEPTH 24
#define MODEL_SAMPLES 48

struct hierarchy_sample {
	char stack[MODEL_DEPTH + 1]; /* root first: "A" to "Z" */
	int object[MODEL_DEPTH];     /* of each of them */
	int comm;
	int64_t weight;
};

struct hierarchy_model {
	struct hierarchy_sample samples[MODEL_SAMPLES];
	int count;
	bool is_target[MODEL_LETTERS];
};

struct model_path {
	char path[MODEL_LETTERS + 1];
	int64_t weight;
};

struct model_figures {
	int64_t total;
	int64_t children[MODEL_LETTERS], self[MODEL_LETTERS], adjusted[MODEL_LETTERS];
	int64_t relation[MODEL_LETTERS][MODEL_LETTERS]; /* [caller][callee] */
	bool appears[MODEL_LETTERS];
	struct model_path paths[MODEL_SAMPLES * MODEL_DEPTH];
	int path_count;
};

/* The next of a row of numbers that look random. */
uint32_t hierarchy_random(uint64_t *state, uint32_t below);

/* @letters functions, all in each of @objects. In half of all, only later ones are called. */
void hierarchy_model_make(struct hierarchy_model *m, uint64_t *state, int letters, int objects);
struct profile *hierarchy_model_profile(const struct hierarchy_model *m);
void hierarchy_model_figures(const struct hierarchy_model *m, struct model_figures *f);

/* Of the targets in @h; absent things weigh 0. */
void hierarchy_figures(const struct hierarchy *h, const struct profile *p, struct model_figures *f);

/* Weight of @path, or 0. */
int64_t model_path_weight(const struct model_figures *f, const char *path);

/* For each string of @p whether it is a letter that @m has as a target. The caller frees it. */
bool *hierarchy_model_targets(const struct hierarchy_model *m, const struct profile *p);

#endif
