/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pruned - what a perf report that does not show everything tells beside its whole chains.
 *
 * Its whole chains are a profile as any other, which lacks some of the total. A sample's
 * count there, and in @own, is of the printed numbers that its weight was reckoned from.
 */
#ifndef SPPROF_PROFILE_PRUNED_H
#define SPPROF_PROFILE_PRUNED_H

#include "profile/profile.h"

/* A line of the report: a symbol in one command and object. Strings are the profile's. */
struct pruned_entry {
	profile_id symbol, comm, object;
	int64_t children, self; /* as its columns have them; -1: they do not say */
};

struct profile_pruned {
	/*
	 * Stacks that begin with a function at its outermost call, of samples in which another
	 * function ran: Σ over a node and what is below it is the number the report prints
	 * there. NULL: the report has none such.
	 */
	struct profile *own;
	struct pruned_entry *entries;
	uint32_t count, room;
	int64_t total;	   /* of the event, in the profile's weights */
	double half_digit; /* how far off a printed number may be, in the same: 0 for counts */
	bool has_chains;   /* false: the report shows no call graphs at all */
};

void profile_pruned_free(struct profile_pruned *p); /* NULL is fine */
DEFINE_OWNS(profile_pruned);

#endif
