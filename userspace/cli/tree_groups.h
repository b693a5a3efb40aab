/* SPDX-License-Identifier: Apache-2.0 */
/* tree_groups - which threads share a call tree, and what each tree is called. */
#ifndef SPPROF_CLI_TREE_GROUPS_H
#define SPPROF_CLI_TREE_GROUPS_H

#include "cli/options.h"
#include "profile/profile.h"

struct tree_groups {
	uint32_t *of;	     /* the group of each thread */
	profile_id *threads; /* the first thread of each group */
	uint32_t count;	     /* at least 1 */
	enum cli_tree_by by;
};

/* 0 and *@out, or -ENOMEM. */
int tree_groups_make(const struct profile *p, enum cli_tree_by by, struct tree_groups *out);
void tree_groups_fini(struct tree_groups *g);

static inline void tree_groups_cleanup(struct tree_groups *g)
{
	tree_groups_fini(g);
}

/* Appends the name of @group: "all", `thread "worker" (12)` or `process "app" (12)`. */
void tree_groups_add_name(const struct tree_groups *g, const struct profile *p, uint32_t group,
			  struct buffer *out);

#endif
