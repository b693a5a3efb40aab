/* SPDX-License-Identifier: Apache-2.0 */
/* heap_ask - has the daemon scan the heap of a process. */
#ifndef SPPROF_CLI_HEAP_ASK_H
#define SPPROF_CLI_HEAP_ASK_H

#include "base/buffer.h"
#include "cli/heap_types.h"
#include "control/client.h"

#include <sys/types.h>

/* Appends what is asked for. */
void heap_ask_add_target(pid_t pid, struct buffer *target);

/* 0 and *@out, which is empty before; or the exit code, and the error in @why. */
int heap_ask(const char *socket, pid_t pid, const struct control_watch *watch,
	     struct heap_types *out, struct buffer *why);

#endif
