/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/reshape.h"

#include <errno.h>

int reshape_init(struct reshape *r, const struct tree_stacks *in)
{
	r->in = in;
	stack_rows_init(&r->rows, in->functions->rows.seed);
	r->map = malloc((in->count + 1ul) * sizeof(*r->map));
	return r->map ? 0 : -ENOMEM;
}

void reshape_cleanup(struct reshape *r)
{
	stack_rows_fini(&r->rows);
	free(r->map);
}

int reshape_place(struct reshape *r, uint32_t i, uint32_t parent, uint32_t function)
{
	struct tree_stack row = {
		.parent = parent,
		.function = function,
		.category = r->in->rows[i].category,
	};

	return stack_rows_add(&r->rows, &row, &r->map[i]);
}

int reshape_finish(struct reshape *r, struct tree_stacks *out)
{
	struct tree_stacks placed = *r->in;

	placed.rows = r->rows.rows;
	placed.count = r->rows.count;
	return tree_stacks_move(&placed, r->map, out);
}
