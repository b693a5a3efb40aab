/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacks - what each thread of a process does now: the threads that run by the clock,
 * where they run, the others read from outside. In the sampler's thread only.
 */
#ifndef SPPROF_STACKS_H
#define SPPROF_STACKS_H

#include "daemon/call.h"

/*
 * @threads: an array of one object a thread, a new reference; NULL: the error of @c is set.
 * @p stays referenced during the call.
 */
typedef void stacks_done(struct call *c, struct sampler *s, struct process *p, json_t *threads);

/*
 * Reads what the threads of @p do and hands it to @done, now or in some milliseconds; @c,
 * which must not be returned before that, is left alone else.
 */
void stacks_begin(struct call *c, struct sampler *s, struct process *p, stacks_done *done);

/* Answers @c with the stacks of @c->pid. */
void stacks_read(struct call *c, struct sampler *s);

#endif
