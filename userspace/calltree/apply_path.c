/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/apply.h"
#include "calltree/match.h"
#include "calltree/reshape.h"

#include <errno.h>

/* Where the samples of each row go; the rows stay as they are. */
static uint32_t *new_targets(const struct tree_stacks *in)
{
	return malloc((in->count + 1ul) * sizeof(uint32_t));
}

int apply_merge_node(const struct transform_ids *ids, const struct tree_stacks *in,
		     struct tree_stacks *out, struct buffer *why)
{
	OWNS_MEM uint32_t *state = NULL;
	OWNS(reshape) struct reshape r = { 0 };
	int err = match_from_root(ids, in, &state, why);

	if (!err)
		err = reshape_init(&r, in);
	for (uint32_t i = 0; !err && i < in->count; i++) {
		if (match_is_last(in, state, ids->transform->count, i))
			r.map[i] = reshape_above(&r, i);
		else
			err = reshape_keep(&r, i);
	}
	return err ? err : reshape_finish(&r, out);
}

int apply_merge_subtree(const struct transform_ids *ids, const struct tree_stacks *in,
			struct tree_stacks *out, struct buffer *why)
{
	OWNS_MEM uint32_t *state = NULL;
	OWNS_MEM uint32_t *target = new_targets(in);
	int err = target ? match_from_root(ids, in, &state, why) : -ENOMEM;

	for (uint32_t i = 0; !err && i < in->count; i++) {
		uint32_t parent = in->rows[i].parent;

		target[i] = i;
		if (match_is_last(in, state, ids->transform->count, i))
			target[i] = parent;
		else if (state[i] == ids->transform->count)
			target[i] = target[parent];
	}
	return err ? err : tree_stacks_move(in, target, out);
}

enum matching { MATCHING, NOT_MATCHING };

/* Keeps the samples whose stacks begin with the path, or those whose do not. */
static int keep_samples(const struct transform_ids *ids, const struct tree_stacks *in,
			enum matching which, struct tree_stacks *out, struct buffer *why)
{
	OWNS_MEM uint32_t *state = NULL;
	int err = match_from_root(ids, in, &state, why);

	if (err)
		return err;
	for (uint32_t i = 0; i < in->count; i++)
		state[i] =
			(state[i] == ids->transform->count) == (which == MATCHING) ? i : TREE_NONE;
	return tree_stacks_move(in, state, out);
}

int apply_hide(const struct transform_ids *ids, const struct tree_stacks *in,
	       struct tree_stacks *out, struct buffer *why)
{
	return keep_samples(ids, in, NOT_MATCHING, out, why);
}

int apply_filter_prefix(const struct transform_ids *ids, const struct tree_stacks *in,
			struct tree_stacks *out, struct buffer *why)
{
	return keep_samples(ids, in, MATCHING, out, why);
}

int apply_focus(const struct transform_ids *ids, const struct tree_stacks *in,
		struct tree_stacks *out, struct buffer *why)
{
	OWNS_MEM uint32_t *state = NULL;
	OWNS(reshape) struct reshape r = { 0 };
	int err = match_from_root(ids, in, &state, why);

	if (!err)
		err = reshape_init(&r, in);
	for (uint32_t i = 0; !err && i < in->count; i++) {
		if (state[i] == ids->transform->count)
			err = reshape_keep(&r, i);
		else
			r.map[i] = TREE_NONE;
	}
	return err ? err : reshape_finish(&r, out);
}

int apply_focus_inverted(const struct transform_ids *ids, const struct tree_stacks *in,
			 struct tree_stacks *out, struct buffer *why)
{
	OWNS_MEM uint32_t *last = NULL;
	int err = match_from_leaf(ids, in, false, &last, why);

	return err ? err : tree_stacks_move(in, last, out);
}

int apply_filter_suffix(const struct transform_ids *ids, const struct tree_stacks *in,
			struct tree_stacks *out, struct buffer *why)
{
	OWNS_MEM uint32_t *last = NULL;
	int err = match_from_leaf(ids, in, true, &last, why);

	if (err)
		return err;
	for (uint32_t i = 0; i < in->count; i++)
		last[i] = last[i] == TREE_NONE ? TREE_NONE : i;
	return tree_stacks_move(in, last, out);
}
