/* SPDX-License-Identifier: Apache-2.0 */
/* heap_probes_call - has the daemon begin or end the sampling of a process's allocations. */
#ifndef SPPROF_CLI_HEAP_PROBES_CALL_H
#define SPPROF_CLI_HEAP_PROBES_CALL_H

#include "cli/options.h"
#include "control/client.h"

#include <jansson.h>

/*
 * Begins it, for @seconds at most (0: no end), as o->probes says. 0 and *@session, the caller's
 * reference; or the exit code, and the error in @why.
 */
int heap_probes_start(const struct cli_options *o, pid_t pid, unsigned int seconds,
		      const struct control_watch *watch, json_t **session, struct buffer *why);

/* The same of its end. */
int heap_probes_stop(const struct cli_options *o, pid_t pid, json_t **session, struct buffer *why);

/* The same of its end at once: what was sampled is forgotten. */
int heap_probes_discard(const struct cli_options *o, pid_t pid, struct buffer *why);

/* What runs of process @pid, of all that may be seen if it is 0: {"sessions":[…]}. The same. */
int heap_probes_status(const struct cli_options *o, pid_t pid, json_t **sessions,
		       struct buffer *why);

#endif
