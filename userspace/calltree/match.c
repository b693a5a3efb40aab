/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/match.h"
#include "calltree/transform_error.h"

#include <errno.h>

static uint32_t *new_rows(const struct tree_stacks *in)
{
	return malloc((in->count + 1ul) * sizeof(uint32_t));
}

static uint32_t step(const struct transform_ids *ids, const struct tree_functions *fs,
		     uint32_t taken, uint32_t function)
{
	if (taken == ids->transform->count || taken == MATCH_FAILED)
		return taken;
	if (transform_ids_fit(ids, fs, taken, function))
		return taken + 1;
	return transform_ids_counts(ids, fs, function) ? MATCH_FAILED : taken;
}

/* Those functions that came where element @deepest should have come. */
static int say_what_came(const struct transform_ids *ids, const struct tree_stacks *in,
			 const uint32_t *state, uint32_t deepest, struct buffer *why)
{
	OWNS_MEM bool *came = calloc(tree_functions_count(in->functions) + 1ul, sizeof(*came));

	if (!came)
		return -ENOMEM;
	for (uint32_t i = 0; i < in->count; i++)
		if (state[i] == MATCH_FAILED && match_above(in, state, i) == deepest)
			came[in->rows[i].function] = true;
	return transform_error_path(ids->transform, deepest, in->functions, came, why);
}

/* Of two functions that go by one name, only one may be in the path. */
static int check_one_function_each(const struct transform_ids *ids, const struct tree_stacks *in,
				   const uint32_t *state, struct buffer *why)
{
	uint32_t count = ids->transform->count, functions = tree_functions_count(in->functions);
	OWNS_MEM bool *matches = calloc(in->count + 1ul, sizeof(*matches));
	OWNS_MEM uint32_t *taken = calloc(count, sizeof(*taken)); /* 1 + function */
	OWNS_MEM bool *both = calloc(functions + 1ul, sizeof(*both));

	if (!matches || !taken || !both)
		return -ENOMEM;
	for (uint32_t i = in->count; i-- > 0;) {
		uint32_t above = match_above(in, state, i), function = in->rows[i].function;

		matches[i] |= state[i] == count;
		if (!matches[i])
			continue;
		if (in->rows[i].parent != TREE_NONE)
			matches[in->rows[i].parent] = true;
		if (state[i] == above)
			continue;
		if (taken[above] && taken[above] != function + 1) {
			both[function] = both[taken[above] - 1] = true;
			return transform_error_ambiguous(ids, above, in->functions, both, why);
		}
		taken[above] = function + 1;
	}
	return 0;
}

int match_from_root(const struct transform_ids *ids, const struct tree_stacks *in, uint32_t **state,
		    struct buffer *why)
{
	OWNS_MEM uint32_t *states = new_rows(in);
	uint32_t deepest = 0;
	int err = 0;

	if (!states)
		return -ENOMEM;
	for (uint32_t i = 0; i < in->count; i++) {
		states[i] =
			step(ids, in->functions, match_above(in, states, i), in->rows[i].function);
		if (states[i] != MATCH_FAILED && states[i] > deepest)
			deepest = states[i];
	}
	if (deepest < ids->transform->count && ids->missing == TRANSFORM_MUST_MATCH)
		return say_what_came(ids, in, states, deepest, why);
	if (ids->has_namesakes)
		err = check_one_function_each(ids, in, states, why);
	if (!err)
		*state = TAKE(states);
	return err;
}
