/* SPDX-License-Identifier: Apache-2.0 */
/* hierarchy_own - what a perf report's trees that begin at some function tell of relations. */
#ifndef SPPROF_CALLTREE_HIERARCHY_OWN_H
#define SPPROF_CALLTREE_HIERARCHY_OWN_H

#include "calltree/hierarchy_parts.h"

struct hierarchy_own {
	struct hierarchy_tree found; /* trees, below them callers, below these callees */
	uint32_t *entry_of;	     /* of each string of the trees' profile, or HIERARCHY_NONE */
	profile_id *name_of; /* of each of them: the same in the other profile, or PROFILE_NONE */
	struct hierarchy_parts *parts;
	const struct profile *trees; /* NULL: there are none */
};

/*
 * Reads @trees, the own trees of struct profile_pruned; NULL: there are none. A row of
 * found.rows that has a caller weighs what the caller calls below the tree's root; one
 * without a callee weighs the whole tree, if that begins at the entry, else 0. Adds entries
 * for targets that only these trees show. 0 or -ENOMEM; fini in any case.
 */
int hierarchy_own_read(struct hierarchy_own *own, struct hierarchy_parts *parts,
		       const struct profile *trees);
void hierarchy_own_fini(struct hierarchy_own *own);

static inline void hierarchy_own_cleanup(struct hierarchy_own *own)
{
	hierarchy_own_fini(own);
}

#endif
