/* SPDX-License-Identifier: Apache-2.0 */
/* What the daemon says of itself and of the processes it knows. In the sampler's thread only. */
#ifndef SPPROF_REPORT_H
#define SPPROF_REPORT_H

#include "daemon/call.h"

/* Answers @c with the daemon's state; @start_ns (CLOCK_MONOTONIC) is when it started. */
void report_status(struct call *c, struct sampler *s, uint64_t start_ns);

/* Answers @c with every Python of c->selection, after a look at all processes. */
void report_processes(struct call *c, struct sampler *s);

#endif
