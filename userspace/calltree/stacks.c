/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/stacks.h"

#include <errno.h>
#include <string.h>

void tree_stacks_fini(struct tree_stacks *s)
{
	free(s->rows);
	free(s->samples);
	*s = (struct tree_stacks){ 0 };
}

int64_t tree_stacks_total(const struct tree_stacks *s)
{
	int64_t total = 0;

	for (uint32_t i = 0; i < s->sample_count; i++)
		weight_add(&total, weight_size(s->samples[i].weight));
	return total;
}

/* Moves the samples, or counts what is removed. */
static int move_samples(const struct tree_stacks *in, const uint32_t *target,
			struct tree_stacks *out)
{
	out->samples = malloc((in->sample_count + 1ul) * sizeof(*out->samples));
	if (!out->samples)
		return -ENOMEM;
	for (uint32_t i = 0; i < in->sample_count; i++) {
		struct tree_sample sample = in->samples[i];

		sample.stack = target[sample.stack];
		if (sample.stack == TREE_NONE)
			weight_add(&out->removed, weight_size(sample.weight));
		else
			out->samples[out->sample_count++] = sample;
	}
	return 0;
}

/* A copy of those rows of @in that a sample of @out needs; samples follow them. */
static int copy_needed(const struct tree_stacks *in, struct tree_stacks *out)
{
	OWNS_MEM uint32_t *at = calloc(in->count + 1ul, sizeof(*at)); /* 1: needed */

	if (!at)
		return -ENOMEM;
	for (uint32_t i = 0; i < out->sample_count; i++)
		at[out->samples[i].stack] = 1;
	for (uint32_t i = in->count; i-- > 0;) {
		if (at[i] && in->rows[i].parent != TREE_NONE)
			at[in->rows[i].parent] = 1;
		out->count += at[i];
	}
	out->rows = malloc((out->count + 1ul) * sizeof(*out->rows));
	if (!out->rows)
		return -ENOMEM;
	out->count = 0;
	for (uint32_t i = 0; i < in->count; i++) {
		struct tree_stack row = in->rows[i];

		if (!at[i])
			continue;
		if (row.parent != TREE_NONE)
			row.parent = at[row.parent];
		at[i] = out->count;
		out->rows[out->count++] = row;
	}
	for (uint32_t i = 0; i < out->sample_count; i++)
		out->samples[i].stack = at[out->samples[i].stack];
	return 0;
}

int tree_stacks_move(const struct tree_stacks *in, const uint32_t *target, struct tree_stacks *out)
{
	OWNS(tree_stacks)
	struct tree_stacks moved = { .functions = in->functions,
				     .removed = in->removed,
				     .has_categories = in->has_categories };
	int err = move_samples(in, target, &moved);

	if (!err)
		err = copy_needed(in, &moved);
	if (err)
		return err;
	*out = moved;
	moved = (struct tree_stacks){ 0 };
	return 0;
}
