/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_open - the opener: the only code that calls perf_event_open().
 *
 * It runs as a process of its own with CAP_SYS_ADMIN and nothing else, because Debian's
 * default perf_event_paranoid=3 refuses CAP_PERFMON and the daemon, which parses hostile
 * memory, must never hold CAP_SYS_ADMIN. The two talk over a socket of packets: a request,
 * an errno, and the event's descriptor. It is a child of the daemon (perf_open_spawn), or the
 * service spprof-perf (perf_open_connect); what the daemon holds then is the same.
 */
#ifndef SPPROF_PERF_OPEN_H
#define SPPROF_PERF_OPEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define SPPROF_OPENER_DEFAULT "/run/spprof-perf.sock"

/*
 * Starts the opener as a child of this process, which must not have threads yet. It ends
 * when the returned descriptor, the client's end of the pair, is closed. The descriptor,
 * or -errno.
 */
int perf_open_spawn(void);

/*
 * The client's end of a connection to the service at @path, or -errno. The service has one
 * client at a time: an answer that takes 10 s is -ETIMEDOUT.
 */
int perf_open_connect(const char *path);

/*
 * Asks the opener on @fd for a clock on @cpu that ticks every @period_ns of its CPU clock,
 * 90 us to 10 s. It is not enabled. The event's descriptor, -ENODEV if the processor is
 * offline, -EINVAL if there is no such processor or period, or another -errno.
 */
int perf_open_cpu_clock(int fd, int cpu, uint64_t period_ns);

/* Where a uprobe is put. */
struct perf_uprobe {
	pid_t pid;		 /* whose memory gets it: all of its threads, nobody else */
	uint64_t offset;	 /* in the file, of the instruction */
	uint32_t ref_ctr_offset; /* in the file, of a USDT probe's semaphore; 0: it has none */
	bool is_return;		 /* when the function that begins there returns */
};

/*
 * Asks the opener on @fd for a uprobe in @file, an open regular file, O_PATH too. It is not
 * enabled. The event's descriptor; -ESRCH there is no such process, -EINVAL no such place,
 * -ENOTSUP the kernel has no such events, or cannot probe that instruction; or another -errno.
 */
int perf_open_uprobe(int fd, int file, const struct perf_uprobe *at);

/* The opener's side: gives up all but CAP_SYS_ADMIN, and every way back. 0 or -errno. */
int perf_open_confine(void);

/*
 * Waits at most @idle_ms for the next client of @listener. The connection to it; -EACCES
 * and its uid in *@caller if it was neither root nor @user, and was turned away; -ETIMEDOUT
 * if none came; or another -errno.
 */
int perf_open_accept(int listener, int idle_ms, uid_t user, uid_t *caller);

/*
 * Answers requests on @fd, any bytes, until the other end is closed. What is not a request
 * is answered with -EINVAL. 0 or -errno.
 */
int perf_open_serve(int fd);

#endif
