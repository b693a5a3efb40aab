/* SPDX-License-Identifier: Apache-2.0 */
/* snapshot - the one page on a process: what it is, does, costs and holds. */
#ifndef SPPROF_SNAPSHOT_H
#define SPPROF_SNAPSHOT_H

#include "daemon/call.h"

#define SNAPSHOT_WINDOW_NS (10 * 1000000000ull) /* the past that it speaks of */

/*
 * Both answer @c with the page of process @c->pid. In the sampler's thread.
 * The first looks back into the windows; an ended process has no threads and no memory any
 * more, but the last seconds before its end.
 *
 * null stands for what is not known: "python" before it has started, "build" (the file of the
 * interpreter) also after its end, "memory" of what has ended, its "pss_bytes" where we may
 * not look or it would take too long (2 GiB in small pages), the "share" of "cpu" where its
 * "window_s" is 0 because nothing was sampled, "unknown_share" without samples. The window
 * of a process younger than it is the process's life. "lines" are those with a number.
 */
void snapshot_now(struct call *c, struct sampler *s);

/* With @p, just recorded, which is taken over. */
void snapshot_with(struct call *c, struct sampler *s, struct profile *p);

#endif
