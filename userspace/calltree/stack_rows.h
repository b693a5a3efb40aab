/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_rows - rows of a prefix tree while they are made: each child of a row once.
 *
 * Most rows have few children, and what looks for one was just at its parent. So the first
 * few hang on their parent, where they are found without a miss of the cache; only what a
 * row has beyond them is found by a hash.
 */
#ifndef SPPROF_CALLTREE_STACK_ROWS_H
#define SPPROF_CALLTREE_STACK_ROWS_H

#include "base/hash_index.h"
#include "calltree/stacks.h"

struct stack_rows {
	struct tree_stack *rows; /* may be taken out, before stack_rows_fini() */
	struct stack_links {
		uint32_t child, sibling; /* 1 + row, 0: none */
	} * links;
	uint32_t count, room;
	uint32_t root; /* 1 + the first root */
	struct hash_index more;
	uint64_t seed; /* of the hash */
};

void stack_rows_init(struct stack_rows *r, uint64_t seed);
void stack_rows_fini(struct stack_rows *r);

/* Finds @row or adds a copy of it: *@id and 0, or -ENOMEM. Its parent is there. */
int stack_rows_add(struct stack_rows *r, const struct tree_stack *row, uint32_t *id);

#endif
