/* SPDX-License-Identifier: Apache-2.0 */
/*
 * naming - what Python calls the threads that were sampled.
 *
 * An ident is a thread's only while it lives. So a name counts for a thread that was there before
 * its process's names were read, and still is afterwards; it stays until a later reading has
 * another. Names are read when a thread is met that has none, at growing distances after that,
 * and for each answer.
 */
#ifndef SPPROF_NAMING_H
#define SPPROF_NAMING_H

#include "daemon/stack_store.h"

/* @t was met at @time_ns, with another @ident than before: it is a new one. */
void naming_begin(struct thread *t, uint64_t ident, uint64_t time_ns);

/*
 * Looks up @t's name, and reads those of its process for that; if these were read a moment ago, but
 * before it was met, later.
 */
void naming_learn(struct thread *t);

/* The same for an answer: never later. */
void naming_learn_now(struct thread *t);

/*
 * Reads the names of @p's threads now, and says whether it did: not if it has ended, nor if that
 * took long and was a moment ago.
 */
bool naming_read(struct process *p);

/*
 * Of the thread @tid of @p, which had @ident before the last reading; NULL: none is known. Valid
 * until the next.
 */
const char *naming_find(const struct process *p, pid_t tid, uint64_t ident);

#endif
