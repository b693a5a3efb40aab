/* SPDX-License-Identifier: Apache-2.0 */
/* lookback - questions to the windows: who may ask, which process a pid means, how far back. */
#ifndef SPPROF_LOOKBACK_H
#define SPPROF_LOOKBACK_H

#include "daemon/call.h"

/*
 * The process that @pid means: who has it now or, if nobody has, the newest Python that had it
 * and is remembered. NULL if there is none that the caller may see; the call has its error
 * then. Not a reference.
 */
struct process *lookback_find(struct call *c, struct sampler *s, pid_t pid);

/*
 * A profile of what c->selection ran in the last @length_ns, or in what there is of them.
 * A pid means what lookback_find() finds.
 * 0, the caller's *@out and, unless it is NULL, *@newest (see windows_profile()); else -1,
 * and the call has its error.
 */
int lookback_profile(struct call *c, struct sampler *s, uint64_t length_ns, struct profile **out,
		     struct process **newest);

/* Answers @c with the last c->last_ns as a pprof. In the sampler's thread. */
void lookback_answer(struct call *c, struct sampler *s);

#endif
