/* SPDX-License-Identifier: Apache-2.0 */
/* A recording while it runs: the request, signals, the child, progress, the stop. */
#ifndef SPPROF_CLI_RECORDING_H
#define SPPROF_CLI_RECORDING_H

#include "cli/child.h"
#include "control/client.h"

#include <stdbool.h>
#include <stdint.h>

struct cli_options;

struct recording {
	const struct cli_options *options;
	const char *query;   /* whose profile: see selection_query() */
	struct child *child; /* NULL: none */
	int signals;	     /* signalfd, non-blocking */
	unsigned int interrupts;
	bool is_stopped, has_progress;
	int exec_err; /* why the program could not be executed */
	uint64_t begin_ns;
};

/*
 * Asks for the profile and returns when it is there. A first signal stops the
 * recording (or goes to the child, whose end stops it), a second gives it up.
 * As control_call(); -ECANCELED also if the child could not be executed.
 */
int recording_run(struct recording *r, struct control_reply *reply);

/* Waits for the child's end and passes signals on to it meanwhile. */
void recording_wait_child(struct recording *r);

#endif
