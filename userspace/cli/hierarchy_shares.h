/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hierarchy_shares - what `hierarchy` shows: shares in percent, by symbol, in their order.
 * Over several profiles each is the mean, where a symbol or path that is absent counts as 0.
 */
#ifndef SPPROF_CLI_HIERARCHY_SHARES_H
#define SPPROF_CLI_HIERARCHY_SHARES_H

#include "calltree/hierarchy.h"
#include "profile/strings.h"

#define SHARES_NONE UINT32_MAX

struct share_entry {
	const char *symbol; /* NUL-terminated; it may hold NULs */
	size_t symbol_len;
	enum profile_kind kind;		  /* of the first function of that name */
	double children, self, adjusted;  /* of the total */
	uint32_t relations, relation_end; /* those in which it is the caller */
	uint32_t root;			  /* node; SHARES_NONE: it never stands alone */
};

struct share_relation {
	uint32_t caller, callee; /* entries */
	double relative;	 /* of what the caller's children are */
	double absolute;	 /* of the total */
};

struct share_node {
	uint32_t parent; /* node; SHARES_NONE: a root */
	uint32_t depth;	 /* 0: a root */
	uint32_t entry;
	double relative; /* of the parent; a root's: of the total */
	double absolute; /* of the total */
};

enum shares_order { SHARES_BY_CHILDREN, SHARES_BY_SELF };

/* Zeroed memory is one of nothing. */
struct shares {
	/* Largest first, then by symbol: entries; relations of a caller; nodes of a parent. */
	struct share_entry *entries;
	struct share_relation *relations;
	struct share_node *nodes; /* a node's own follow it at once */
	uint32_t entry_count, relation_count, node_count;
	uint32_t profiles;
	bool is_exact;
	double error_pct; /* see struct hierarchy */
	struct shares_sums *sums;
};

/* 0 or -ENOMEM. */
int shares_add(struct shares *s, const struct profile *p, const struct hierarchy *h);

/* The last addition was made: fills the arrays in. 0 or -ENOMEM. */
int shares_finish(struct shares *s, enum shares_order order);

void shares_fini(struct shares *s);

static inline void shares_cleanup(struct shares *s)
{
	shares_fini(s);
}

#endif
