/* SPDX-License-Identifier: Apache-2.0 */
/* apply - what each type of transform does: one pass over the rows, parents before children. */
#ifndef SPPROF_CALLTREE_APPLY_H
#define SPPROF_CALLTREE_APPLY_H

#include "calltree/transform_ids.h"

/* 0 and *@out, or an error with @why as transform_apply() has them. */
typedef int apply_function(const struct transform_ids *ids, const struct tree_stacks *in,
			   struct tree_stacks *out, struct buffer *why);

/* apply_path.c: by a path from the root, and from the leaf. */
apply_function apply_merge_node, apply_merge_subtree, apply_hide, apply_focus;
apply_function apply_filter_prefix, apply_focus_inverted, apply_filter_suffix;

/* apply_function.c: by a function or a category. */
apply_function apply_merge, apply_drop, apply_focus_function, apply_focus_self;
apply_function apply_collapse_subtree, apply_filter_include, apply_focus_category;

/* apply_collapse.c: runs of one function become one frame. */
apply_function apply_collapse_recursion, apply_collapse_direct_recursion;
apply_function apply_collapse_resource;

#endif
