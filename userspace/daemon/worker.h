/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker - the thread for what takes long: it does one letter after another, at a lower priority
 * than the others. It may be busy for seconds, so no sign of life is asked of it (daemon/service).
 */
#ifndef SPPROF_WORKER_H
#define SPPROF_WORKER_H

#include "daemon/mailbox.h"

struct worker;

/*
 * Starts the thread, which has the rights and the signal mask that the caller has now. NULL and
 * *@err on failure.
 */
struct worker *worker_new(int *err);
/* As worker_stop(). NULL is fine. */
void worker_free(struct worker *w);
DEFINE_OWNS(worker);

/* Delivers @l in the worker's thread. */
void worker_post(struct worker *w, struct letter *l);

/*
 * Waits for the letter that is being done, ends the thread, if it runs, and delivers what letters
 * are left in the caller's. Whoever posted what takes long has cancelled it before. May be called
 * again for later letters.
 */
void worker_stop(struct worker *w);

#endif
