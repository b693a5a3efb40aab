/* SPDX-License-Identifier: Apache-2.0 */
/* summary_sort - the order of a summary's rows, which tells nothing of that of its profile. */
#ifndef SPPROF_PROFILE_SUMMARY_SORT_H
#define SPPROF_PROFILE_SUMMARY_SORT_H

#include "profile/summary.h"

/* Sorts @s of @p; rows of one line become one, lines without weight none. */
void summary_sort(const struct profile *p, struct summary *s);

/* An imported profile may hold any weights: sums end at the limits of their type. */
static inline void summary_add(int64_t *sum, int64_t weight)
{
	if (__builtin_add_overflow(*sum, weight, sum))
		*sum = weight < 0 ? INT64_MIN : INT64_MAX;
}

#endif
