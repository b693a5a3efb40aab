/* SPDX-License-Identifier: Apache-2.0 */
/* hierarchy_parts - a hierarchy while it is made. */
#ifndef SPPROF_CALLTREE_HIERARCHY_PARTS_H
#define SPPROF_CALLTREE_HIERARCHY_PARTS_H

#include "calltree/hierarchy.h"
#include "calltree/hierarchy_tree.h"

struct hierarchy_parts {
	const struct profile *profile;
	const bool *is_target;
	uint32_t *entry_of;    /* of each string of the profile, or HIERARCHY_NONE */
	struct hierarchy made; /* entries, and in the end the rest of it */
	uint32_t entry_room;
	struct hierarchy_tree paths; /* of entries */
	struct hierarchy_tree pairs; /* callers, and below them what they call */
};

/* The entry of @symbol, added if it is a target; else HIERARCHY_NONE. 0 or -ENOMEM. */
int hierarchy_parts_entry(struct hierarchy_parts *parts, profile_id symbol, uint32_t *entry);

/* Adds @weight to the relation from @caller to @callee, which is *@pair. 0 or -ENOMEM. */
int hierarchy_parts_pair(struct hierarchy_parts *parts, uint32_t caller, uint32_t callee,
			 int64_t weight, uint32_t *pair);

/*
 * To entries, paths and pairs of the whole chains, which weigh @shown, what else @pruned
 * tells. 0, -ENOMEM, or -ENOTSUP as hierarchy_make() has it.
 */
int hierarchy_add_pruned(struct hierarchy_parts *parts, const struct profile_pruned *pruned,
			 int64_t shown);

/* Entries and roots from the columns of @pruned, which has no chains. 0 or -ENOMEM. */
int hierarchy_of_columns(struct hierarchy_parts *parts, const struct profile_pruned *pruned);

#endif
