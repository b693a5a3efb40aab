/* SPDX-License-Identifier: Apache-2.0 */
/* A path where functions of other implementations are hidden, and back. */
#include "calltree/path.h"

#include <errno.h>

#define NOT_THERE UINT32_MAX

void tree_path_narrow(struct tree_path *path, const struct tree_functions *fs,
		      enum tree_implementation impl)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < path->count; k++)
		if (tree_implementation_has(impl, tree_function(fs, path->functions[k])->kind))
			path->functions[count++] = path->functions[k];
	path->count = count;
}

/* The first row whose functions of @impl are those of the path, or TREE_NONE. */
static uint32_t find_row(const struct tree_path *path, const struct tree_stacks *s,
			 enum tree_implementation impl, uint32_t *depth)
{
	for (uint32_t i = 0; i < s->count; i++) {
		const struct tree_stack *row = &s->rows[i];
		uint32_t above = row->parent == TREE_NONE ? 0 : depth[row->parent];

		depth[i] = above;
		if (above == NOT_THERE ||
		    !tree_implementation_has(impl,
					     tree_function(s->functions, row->function)->kind))
			continue;
		depth[i] = NOT_THERE;
		if (above == path->count || path->functions[above] != row->function)
			continue;
		depth[i] = above + 1;
		if (depth[i] == path->count)
			return i;
	}
	return TREE_NONE;
}

int tree_path_widen(struct tree_path *path, const struct tree_stacks *s,
		    enum tree_implementation impl)
{
	OWNS_MEM uint32_t *depth = malloc((s->count + 1ul) * sizeof(*depth));
	uint32_t *functions, count = 0;
	uint32_t row;

	if (!depth)
		return -ENOMEM;
	row = find_row(path, s, impl, depth);
	if (row == TREE_NONE)
		return path->count ? -ENOENT : 0;
	for (uint32_t i = row; i != TREE_NONE; i = s->rows[i].parent)
		count++;
	functions = malloc(count * sizeof(*functions));
	if (!functions)
		return -ENOMEM;
	free(path->functions);
	*path = (struct tree_path){ .functions = functions, .count = count };
	for (uint32_t i = row; i != TREE_NONE; i = s->rows[i].parent)
		functions[--count] = s->rows[i].function;
	return 0;
}
