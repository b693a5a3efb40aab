/* SPDX-License-Identifier: Apache-2.0 */
/* stack_json - a thread's stack as the control API tells it. */
#ifndef SPPROF_STACK_JSON_H
#define SPPROF_STACK_JSON_H

#include "daemon/process.h"
#include "resolve/outside.h"

#include <jansson.h>

/* What the kernel's letter for a thread's state means: "running", "sleeping", … */
const char *stack_json_state(char state);

/* @len bytes of any content, repaired. */
json_t *stack_json_text(const char *text, size_t len);

/* The frames of @stack of @p with their names, newest first; why it is cut stands last. */
json_t *stack_json_frames(struct process *p, const struct outside_stack *stack);

#endif
