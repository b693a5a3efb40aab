/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_open - the opener: the only code that calls perf_event_open().
 *
 * It runs as a process of its own with CAP_SYS_ADMIN and nothing else, because Debian's
 * default perf_event_paranoid=3 refuses CAP_PERFMON and the daemon, which parses hostile
 * memory, must never hold CAP_SYS_ADMIN. The two talk over a socket pair: a request, an
 * errno, and the event's descriptor.
 */
#ifndef SPPROF_PERF_OPEN_H
#define SPPROF_PERF_OPEN_H

#include <stdint.h>

/*
 * Starts the opener as a child of this process, which must not have threads yet. It ends
 * when the returned descriptor, the client's end of the pair, is closed. The descriptor,
 * or -errno.
 */
int perf_open_spawn(void);

/* Answers requests on @fd until the other end is closed. 0 or -errno. */
int perf_open_serve(int fd);

/*
 * Asks the opener on @fd for a clock on @cpu that ticks every @period_ns of its
 * CPU clock. It is not enabled. The event's descriptor, -ENODEV if the processor is
 * offline, or another -errno.
 */
int perf_open_cpu_clock(int fd, int cpu, uint64_t period_ns);

#endif
