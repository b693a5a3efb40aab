/* SPDX-License-Identifier: Apache-2.0 */
/* stacks_profile - the way back: what transforms left of a profile, as a profile. */
#ifndef SPPROF_CALLTREE_STACKS_PROFILE_H
#define SPPROF_CALLTREE_STACKS_PROFILE_H

#include "calltree/stacks.h"

/*
 * A profile of the samples in @s: functions have neither lines nor addresses any more, samples
 * no times. What it says about itself is @from's; group g is the thread @thread_of[g] of it.
 * 0 and *@out, the caller's, or -ENOMEM.
 */
int tree_stacks_profile(const struct tree_stacks *s, const struct profile *from,
			const profile_id *thread_of, struct profile **out);

#endif
