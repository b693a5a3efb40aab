/* SPDX-License-Identifier: Apache-2.0 */
/* hierarchy_bound - how much a pruned report can hide. */
#ifndef SPPROF_CALLTREE_HIERARCHY_BOUND_H
#define SPPROF_CALLTREE_HIERARCHY_BOUND_H

#include "calltree/hierarchy_columns.h"
#include "calltree/hierarchy_own.h"

/*
 * How much more than its whole chains show the children of an entry can weigh, for all
 * entries; so of each that much is all that any figure can lack. @lost: what the chains lack
 * of the total. Entries are as the chains show them. 0 and *@most, or -ENOMEM.
 */
int hierarchy_bound(const struct hierarchy_parts *parts, const struct hierarchy_own *own,
		    const struct hierarchy_column *columns, int64_t lost, int64_t *most);

#endif
