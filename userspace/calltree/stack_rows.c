/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/stack_rows.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <errno.h>
#include <string.h>

#define FIRST_ROOM 64
#define MOST_LINKED 8 /* children that hang on their parent */

_Static_assert(sizeof(struct tree_stack) == 12, "key");

void stack_rows_init(struct stack_rows *r, uint64_t seed)
{
	*r = (struct stack_rows){ .seed = seed };
}

void stack_rows_fini(struct stack_rows *r)
{
	free(r->rows);
	free(r->links);
	hash_index_fini(&r->more);
}

static int grow(struct stack_rows *r)
{
	uint32_t room = r->room ? r->room * 2 : FIRST_ROOM;
	struct tree_stack *rows;
	struct stack_links *links;

	/* Doubling reaches 2^31 rows; an id beyond could be taken for "none". */
	if (room < r->room)
		return -ENOMEM;
	rows = reallocarray(r->rows, room, sizeof(*rows));
	r->rows = rows ? rows : r->rows;
	links = reallocarray(r->links, room, sizeof(*links));
	r->links = links ? links : r->links;
	if (!rows || !links)
		return -ENOMEM;
	r->room = room;
	return 0;
}

static bool is_same(const struct tree_stack *a, const struct tree_stack *b)
{
	return a->function == b->function && a->category == b->category && a->parent == b->parent;
}

static bool find_more(const struct stack_rows *r, const struct tree_stack *row, uint64_t hash,
		      uint32_t *id)
{
	struct hash_probe probe = hash_index_find(&r->more, hash);

	while (hash_probe_next(&probe, id))
		if (is_same(&r->rows[*id], row))
			return true;
	return false;
}

static int append(struct stack_rows *r, const struct tree_stack *row, uint32_t *id)
{
	int err = r->count == r->room ? grow(r) : 0;

	if (err)
		return err;
	r->rows[r->count] = *row;
	r->links[r->count] = (struct stack_links){ 0 };
	*id = r->count++;
	return 0;
}

static int add_more(struct stack_rows *r, const struct tree_stack *row, uint32_t *id)
{
	uint64_t hash = XXH3_64bits_withSeed(row, sizeof(*row), r->seed);
	uint32_t added;
	int err;

	if (find_more(r, row, hash, id))
		return 0;
	err = append(r, row, &added);
	if (!err)
		err = hash_index_add(&r->more, hash, added);
	if (!err)
		*id = added;
	return err;
}

int stack_rows_add(struct stack_rows *r, const struct tree_stack *row, uint32_t *id)
{
	uint32_t at = row->parent == TREE_NONE ? r->root : r->links[row->parent].child;
	uint32_t last = 0, linked = 0;
	int err;

	for (; at; at = r->links[at - 1].sibling) {
		if (is_same(&r->rows[at - 1], row)) {
			*id = at - 1;
			return 0;
		}
		last = at;
		linked++;
	}
	if (linked == MOST_LINKED)
		return add_more(r, row, id);
	err = append(r, row, id);
	if (err)
		return err;
	if (last)
		r->links[last - 1].sibling = *id + 1;
	else if (row->parent == TREE_NONE)
		r->root = *id + 1;
	else
		r->links[row->parent].child = *id + 1;
	return 0;
}
