/* SPDX-License-Identifier: Apache-2.0 */
/* search - samples in which something comes up. */
#ifndef SPPROF_CALLTREE_SEARCH_H
#define SPPROF_CALLTREE_SEARCH_H

#include "calltree/stacks.h"

/*
 * Those samples of @in that have a function with @text in its name or file; ASCII letters
 * of either case. 0 and *@out, or -ENOMEM.
 */
int tree_search(const struct tree_stacks *in, const char *text, struct tree_stacks *out);

#endif
