/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that end what a verb does, as a descriptor to read and poll. */
#ifndef SPPROF_CLI_SIGNALS_H
#define SPPROF_CLI_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Blocks SIGINT, SIGTERM and SIGHUP, and @also unless that is 0. Returns a signalfd that
 * does not block, or -errno; *@before is the mask until now.
 */
int signals_open(int also, sigset_t *before);

/* Whether one has come; takes none. */
bool signals_came(int fd);

/* Waits until @time_ns (CLOCK_MONOTONIC). False: one has come before; takes none. */
bool signals_wait(int fd, uint64_t time_ns);

#endif
