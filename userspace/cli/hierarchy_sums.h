/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of hierarchy_shares.c: sums over profiles, by symbol, pair and path. */
#ifndef SPPROF_CLI_HIERARCHY_SUMS_H
#define SPPROF_CLI_HIERARCHY_SUMS_H

#include "cli/hierarchy_shares.h"

struct sum_entry {
	uint32_t symbol; /* of symbols, and its own number too */
	enum profile_kind kind;
	double children, self, adjusted;
};

struct sum_relation {
	uint32_t caller, callee; /* the key */
	double relative, absolute;
};

struct sum_node {
	uint32_t parent, entry; /* the key */
	double relative, absolute;
};

struct shares_sums {
	struct strings symbols;
	struct table entries, relations, nodes; /* parents before children */
};

struct shares_sums *sums_new(void);    /* NULL when out of memory */
void sums_free(struct shares_sums *s); /* NULL is fine */

/* 0 or -ENOMEM. */
int sums_add(struct shares_sums *s, const struct profile *p, const struct hierarchy *h);

#endif
