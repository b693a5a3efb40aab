/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and choices of a request's target. */
#ifndef SPPROF_QUERY_H
#define SPPROF_QUERY_H

#include "daemon/session.h"

struct control_request;

/* @text is digits only and from @least to @most: 0 and *@out; else -EINVAL. NULL is none. */
int query_number(const char *text, uint64_t least, uint64_t most, uint64_t *out);

int query_pid(const char *text, pid_t *pid);

/* What /v1/profile asks for. 0, or -EINVAL and in @why what is wrong with it. */
int query_session(const struct control_request *r, struct session_request *out, char *why,
		  size_t room);

#endif
