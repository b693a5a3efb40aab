/* SPDX-License-Identifier: Apache-2.0 */
/* hierarchy_columns - what the columns of a perf report say of each entry, over all its lines. */
#ifndef SPPROF_CALLTREE_HIERARCHY_COLUMNS_H
#define SPPROF_CALLTREE_HIERARCHY_COLUMNS_H

#include "calltree/hierarchy_parts.h"

/* -1: they do not say. */
struct hierarchy_column {
	/*
	 * A sample is in two lines of one command if the symbol is in two objects that are on
	 * its stack. So the truth is from the largest of these to their sum.
	 */
	int64_t least_children, most_children;
	int64_t self;
	uint32_t lines; /* printed numbers behind them, each */
};

/* Adds entries for all targets that have a line. 0 or -ENOMEM. */
int hierarchy_columns_entries(struct hierarchy_parts *parts, const struct profile_pruned *pruned);

/* (*@columns)[i] is of entry i; to be freed in any case. 0 or -ENOMEM. */
int hierarchy_columns_read(const struct hierarchy_parts *parts, const struct profile_pruned *pruned,
			   struct hierarchy_column **columns);

#endif
