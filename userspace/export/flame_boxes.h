/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_boxes - what of a flame_tree is drawn: its heaviest nodes, left-heavy in preorder.
 *
 * What is too small becomes one box below its nearest drawn caller, so sums stay exact.
 */
#ifndef SPPROF_FLAME_BOXES_H
#define SPPROF_FLAME_BOXES_H

#include "export/flame_tree.h"

struct flame_box {
	uint32_t parent, function; /* FLAME_NONE at the root; function also where merged */
	uint32_t depth;		   /* 0 at the root */
	uint32_t merged;	   /* nodes that this box stands for; 0: it is a node */
	int64_t self, running;
};

struct flame_boxes {
	struct flame_box *rows; /* rows[0] is the root */
	uint32_t count;
	uint32_t *box_of; /* of each node of the tree */
	uint32_t merged;  /* nodes that are not drawn themselves */
	int64_t merged_weight;
	int64_t merged_most; /* the weight of the heaviest of them */
};

/* Which nodes may be drawn. */
struct flame_limits {
	uint32_t most;	      /* so many at most, the root not counted */
	int64_t least_weight; /* of at least this weight */
};

/* 0 or -ENOMEM. Zeroed memory before; flame_boxes_fini() in any case. */
int flame_boxes_init(struct flame_boxes *b, const struct flame_tree *t,
		     const struct flame_limits *limits);
void flame_boxes_fini(struct flame_boxes *b);

static inline void flame_boxes_cleanup(struct flame_boxes *b)
{
	flame_boxes_fini(b);
}

#endif
