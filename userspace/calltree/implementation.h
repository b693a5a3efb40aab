/* SPDX-License-Identifier: Apache-2.0 */
/* implementation - a view of a call tree by the kind of its functions. */
#ifndef SPPROF_CALLTREE_IMPLEMENTATION_H
#define SPPROF_CALLTREE_IMPLEMENTATION_H

#include "calltree/stacks.h"

/* TREE_NATIVE is everything that is not Python. */
enum tree_implementation { TREE_COMBINED, TREE_PYTHON, TREE_NATIVE, TREE_KERNEL };

/* "combined", "python", "native" or "kernel". */
const char *tree_implementation_name(enum tree_implementation impl);

/* 0 and *@impl, or -EINVAL. */
int tree_implementation_find(const char *name, size_t len, enum tree_implementation *impl);

static inline bool tree_implementation_has(enum tree_implementation impl, enum profile_kind kind)
{
	switch (impl) {
	case TREE_PYTHON:
		return kind == PROFILE_PYTHON;
	case TREE_NATIVE:
		return kind != PROFILE_PYTHON;
	case TREE_KERNEL:
		return kind == PROFILE_KERNEL;
	case TREE_COMBINED:
		break;
	}
	return true;
}

/*
 * @in without the functions that are not of @impl: self goes to the nearest caller that is;
 * a sample without one is removed. 0 and *@out, or -ENOMEM.
 */
int tree_implementation_filter(const struct tree_stacks *in, enum tree_implementation impl,
			       struct tree_stacks *out);

#endif
