/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/apply.h"
#include "calltree/reshape.h"

#include <errno.h>

/* Rows that are not to be kept go; their samples move up. */
static int keep_rows(const struct tree_stacks *in,
		     bool (*keeps)(const struct transform_ids *ids, const struct tree_stack *row),
		     const struct transform_ids *ids, struct tree_stacks *out)
{
	OWNS(reshape) struct reshape r = { 0 };
	int err = reshape_init(&r, in);

	for (uint32_t i = 0; !err && i < in->count; i++) {
		if (keeps(ids, &in->rows[i]))
			err = reshape_keep(&r, i);
		else
			r.map[i] = reshape_above(&r, i);
	}
	return err ? err : reshape_finish(&r, out);
}

static bool is_another_function(const struct transform_ids *ids, const struct tree_stack *row)
{
	return row->function != ids->function;
}

static bool is_of_category(const struct transform_ids *ids, const struct tree_stack *row)
{
	return row->category == ids->text;
}

int apply_merge(const struct transform_ids *ids, const struct tree_stacks *in,
		struct tree_stacks *out, struct buffer *why)
{
	(void)why;
	return keep_rows(in, is_another_function, ids, out);
}

int apply_focus_category(const struct transform_ids *ids, const struct tree_stacks *in,
			 struct tree_stacks *out, struct buffer *why)
{
	(void)why;
	return keep_rows(in, is_of_category, ids, out);
}

/* For each row the outermost row in its stack that fits a name, or TREE_NONE. */
static uint32_t *find_outermost(const struct transform_ids *ids, const struct tree_stacks *in)
{
	uint32_t *outermost = malloc((in->count + 1ul) * sizeof(*outermost));

	for (uint32_t i = 0; outermost && i < in->count; i++) {
		const struct tree_stack *row = &in->rows[i];

		outermost[i] = row->parent == TREE_NONE ? TREE_NONE : outermost[row->parent];
		for (uint32_t k = 0; outermost[i] == TREE_NONE && k < ids->transform->count; k++)
			if (transform_ids_fit(ids, in->functions, k, row->function))
				outermost[i] = i;
	}
	return outermost;
}

enum having { HAVING_ONE, HAVING_NONE };

/* Keeps the samples that have one of the functions, or those that have none. */
static int keep_samples(const struct transform_ids *ids, const struct tree_stacks *in,
			enum having which, struct tree_stacks *out)
{
	OWNS_MEM uint32_t *target = find_outermost(ids, in);

	if (!target)
		return -ENOMEM;
	for (uint32_t i = 0; i < in->count; i++)
		target[i] = (target[i] == TREE_NONE) == (which == HAVING_NONE) ? i : TREE_NONE;
	return tree_stacks_move(in, target, out);
}

int apply_drop(const struct transform_ids *ids, const struct tree_stacks *in,
	       struct tree_stacks *out, struct buffer *why)
{
	(void)why;
	return keep_samples(ids, in, HAVING_NONE, out);
}

int apply_filter_include(const struct transform_ids *ids, const struct tree_stacks *in,
			 struct tree_stacks *out, struct buffer *why)
{
	(void)why;
	return keep_samples(ids, in, HAVING_ONE, out);
}

int apply_collapse_subtree(const struct transform_ids *ids, const struct tree_stacks *in,
			   struct tree_stacks *out, struct buffer *why)
{
	OWNS_MEM uint32_t *target = find_outermost(ids, in);

	(void)why;
	if (!target)
		return -ENOMEM;
	for (uint32_t i = 0; i < in->count; i++)
		target[i] = target[i] == TREE_NONE ? i : target[i];
	return tree_stacks_move(in, target, out);
}

int apply_focus_function(const struct transform_ids *ids, const struct tree_stacks *in,
			 struct tree_stacks *out, struct buffer *why)
{
	OWNS(reshape) struct reshape r = { 0 };
	int err = reshape_init(&r, in);

	(void)why;
	for (uint32_t i = 0; !err && i < in->count; i++) {
		if (reshape_above(&r, i) != TREE_NONE || in->rows[i].function == ids->function)
			err = reshape_keep(&r, i);
		else
			r.map[i] = TREE_NONE;
	}
	return err ? err : reshape_finish(&r, out);
}

/* Below the innermost frame of the implementation the others hang on. */
int apply_focus_self(const struct transform_ids *ids, const struct tree_stacks *in,
		     struct tree_stacks *out, struct buffer *why)
{
	OWNS(reshape) struct reshape r = { 0 };
	int err = reshape_init(&r, in);

	(void)why;
	for (uint32_t i = 0; !err && i < in->count; i++) {
		uint32_t function = in->rows[i].function;

		if (function == ids->function)
			err = reshape_place(&r, i, TREE_NONE, function);
		else if (transform_ids_counts(ids, in->functions, function) ||
			 reshape_above(&r, i) == TREE_NONE)
			r.map[i] = TREE_NONE;
		else
			err = reshape_keep(&r, i);
	}
	return err ? err : reshape_finish(&r, out);
}
