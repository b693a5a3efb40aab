/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacks - what each thread of a process does now: the threads that run by the clock,
 * where they run, the others read from outside. In the sampler's thread only.
 */
#ifndef SPPROF_STACKS_H
#define SPPROF_STACKS_H

#include "daemon/call.h"

/* Answers @c with the stacks of @c->pid. */
void stacks_read(struct call *c, struct sampler *s);

#endif
