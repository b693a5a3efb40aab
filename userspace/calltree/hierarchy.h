/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hierarchy - how functions of interest (targets) call each other, and what each costs.
 *
 * An entry is a symbol: all functions of one name. In a sample, the caller of C is the
 * nearest target above the outermost C; if there is one, the sample counts for the relation
 * from that caller to C, else for C standing alone. So in each entry
 * children = adjusted + Σ relations into it, exactly.
 *
 * The tree has the same sums by path: the path of C is its caller's path and C, where it
 * has a caller, else C alone. So roots weigh what is adjusted, and Σ over the nodes of C
 * below A is the relation from A to C. Recursion ends: no symbol is in a path twice.
 */
#ifndef SPPROF_CALLTREE_HIERARCHY_H
#define SPPROF_CALLTREE_HIERARCHY_H

#include "profile/profile.h"
#include "profile/pruned.h"

/* No entry, no node. */
#define HIERARCHY_NONE UINT32_MAX

struct hierarchy_entry {
	profile_id symbol; /* string of the profile */
	int64_t children;  /* of samples in which it is on the stack */
	int64_t self;	   /* of those in which it ran itself */
	int64_t adjusted;  /* of those in which no target called it */
};

struct hierarchy_relation {
	uint32_t caller, callee; /* entries */
	int64_t weight;
};

struct hierarchy_node {
	uint32_t parent; /* node; HIERARCHY_NONE: a root */
	uint32_t entry;
	int64_t weight;
};

struct hierarchy {
	struct hierarchy_entry *entries;      /* by first appearance; children may be 0 */
	struct hierarchy_relation *relations; /* each pair once; weight is not 0 */
	struct hierarchy_node
		*nodes; /* parents before children; each path once; no leaf weighs 0 */
	uint32_t entry_count, relation_count, node_count;
	int64_t total; /* of all samples: what shares are of */
	bool is_exact;
	double error_pct; /* no share of the total is farther off, in points; 0 if exact */
};

/*
 * Of @p; @is_target says of each of its strings whether, as the name of a function, it is a
 * target. @pruned: what else a perf report tells, or NULL if @p is everything. Samples of
 * negative weight count as they are, but with @pruned, where only rounding makes them, as 0.
 *
 * With @pruned, figures are estimates. What a caller's own trees show more of than whole
 * chains do is in the relations; nodes hold of it what can be placed, so they may lack some.
 * Names that only own trees have are targets if they are strings of @p, too. Where there are
 * no chains, nothing is known of calls: every entry stands alone.
 *
 * 0 and *@out; -ENOMEM; or -ENOTSUP: error_pct would be more than 1.5 points beyond the share
 * of the total that the whole chains lack.
 */
int hierarchy_make(const struct profile *p, const struct profile_pruned *pruned,
		   const bool *is_target, struct hierarchy *out);
void hierarchy_fini(struct hierarchy *h);

static inline void hierarchy_cleanup(struct hierarchy *h)
{
	hierarchy_fini(h);
}

#endif
