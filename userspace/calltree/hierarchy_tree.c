/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/hierarchy_tree.h"

#include <errno.h>

void hierarchy_tree_init(struct hierarchy_tree *t)
{
	*t = (struct hierarchy_tree){ 0 };
	stack_rows_init(&t->rows, (uintptr_t)t); /* which no file can foresee */
}

void hierarchy_tree_fini(struct hierarchy_tree *t)
{
	stack_rows_fini(&t->rows);
	free(t->weights);
}

int hierarchy_tree_add(struct hierarchy_tree *t, uint32_t parent, uint32_t number, int64_t weight,
		       uint32_t *row)
{
	const struct tree_stack wanted = { .parent = parent, .function = number };
	uint32_t known = t->rows.count;
	int err = stack_rows_add(&t->rows, &wanted, row);

	if (err)
		return err;
	if (t->rows.room > t->room) {
		int64_t *grown = reallocarray(t->weights, t->rows.room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		t->weights = grown;
		t->room = t->rows.room;
	}
	if (t->rows.count > known)
		t->weights[*row] = 0;
	weight_add(&t->weights[*row], weight);
	return 0;
}
