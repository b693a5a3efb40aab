/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path - a call node by the functions that lead to it, which is all that survives a
 * transform: rows of stacks and nodes get new numbers. An empty path is no node at all.
 */
#ifndef SPPROF_CALLTREE_PATH_H
#define SPPROF_CALLTREE_PATH_H

#include "calltree/transform.h"

struct tree_path {
	uint32_t *functions; /* from the root; of an inverted tree from the leaf */
	uint32_t count;
};

static inline void tree_path_fini(struct tree_path *path)
{
	free(path->functions);
	*path = (struct tree_path){ 0 };
}

static inline void tree_path_cleanup(struct tree_path *path)
{
	tree_path_fini(path);
}

/*
 * What becomes of @path when @t is applied to @before. A name that no sample has changes
 * nothing, as with TRANSFORM_MAY_MISS. 0, -ENOTUNIQ or -ENOMEM.
 */
int tree_path_update(struct tree_path *path, const struct transform *t,
		     const struct tree_stacks *before);

/* Leaves functions of @impl only: the same node where others are hidden. */
void tree_path_narrow(struct tree_path *path, const struct tree_functions *fs,
		      enum tree_implementation impl);

/*
 * From a path among functions of @impl to the first stack of @s with that path: 0, -ENOENT if
 * there is none, -ENOMEM.
 */
int tree_path_widen(struct tree_path *path, const struct tree_stacks *s,
		    enum tree_implementation impl);

#endif
