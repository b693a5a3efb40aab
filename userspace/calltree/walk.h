/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk - the lines of a call tree, each before those below it, in their order.
 *
 * From the leaf, the roots are functions that were seen running, and below each are its
 * callers: that tree is made while it is walked, in memory that does not grow with it. Any
 * depth will do.
 */
#ifndef SPPROF_CALLTREE_WALK_H
#define SPPROF_CALLTREE_WALK_H

#include "calltree/nodes.h"

enum walk_direction { WALK_FROM_ROOT, WALK_FROM_LEAF };

struct walk_line {
	uint32_t depth; /* 0: a root */
	uint32_t function;
	int64_t running, self; /* from the leaf: self is 0 below the roots */
};

struct walk;

/* @n must outlive it. NULL when out of memory. */
struct walk *walk_new(const struct tree_nodes *n, enum walk_direction direction);
void walk_free(struct walk *w); /* NULL is fine */
DEFINE_OWNS(walk);

/* 1 and *@line, 0 at the end, or -ENOMEM. */
int walk_next(struct walk *w, struct walk_line *line);

/* Passes over what is below the last line. */
void walk_skip(struct walk *w);

#endif
