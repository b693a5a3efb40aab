/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match - where the path of a transform lies in some stacks.
 *
 * A frame that is the next element takes it; one that is not, and is not of the transform's
 * implementation, is stepped over; any other ends the match.
 */
#ifndef SPPROF_CALLTREE_MATCH_H
#define SPPROF_CALLTREE_MATCH_H

#include "calltree/transform_ids.h"

#define MATCH_FAILED UINT32_MAX

/*
 * From the root. *@state has for each row how many elements its stack has taken, or
 * MATCH_FAILED; once all are taken the rest does not matter. 0, or an error with @why as
 * transform_apply() has them. The caller frees *@state.
 */
int match_from_root(const struct transform_ids *ids, const struct tree_stacks *in, uint32_t **state,
		    struct buffer *why);

/*
 * From the leaf of each sample. *@last has for each row where samples lie the row that takes
 * the last element, or TREE_NONE. Element k is name k, or with @is_reversed the k-th name
 * from the end. As above.
 */
int match_from_leaf(const struct transform_ids *ids, const struct tree_stacks *in, bool is_reversed,
		    uint32_t **last, struct buffer *why);

/* Elements that the stack above row @i has taken. */
static inline uint32_t match_above(const struct tree_stacks *in, const uint32_t *state, uint32_t i)
{
	return in->rows[i].parent == TREE_NONE ? 0 : state[in->rows[i].parent];
}

/* Whether row @i takes the last of @count elements. */
static inline bool match_is_last(const struct tree_stacks *in, const uint32_t *state,
				 uint32_t count, uint32_t i)
{
	return state[i] == count && match_above(in, state, i) != count;
}

#endif
