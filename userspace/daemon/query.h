/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and choices of a request's target. */
#ifndef SPPROF_QUERY_H
#define SPPROF_QUERY_H

#include "daemon/session.h"

#include <stdbool.h>

struct control_request;

/* @text is digits only and from @least to @most: 0 and *@out; else -EINVAL. NULL is none. */
int query_number(const char *text, uint64_t least, uint64_t most, uint64_t *out);

int query_pid(const char *text, pid_t *pid);

/* Each returns 0, or -EINVAL and in @why, of @room bytes, what is wrong with the request. */

/*
 * One of pid=N[,N], all=1, cgroup=PATH, unit=NAME: into @out, of which the caller's rights
 * are set already. -ENOENT: none of them.
 */
int query_selection(const struct control_request *r, struct selection *out, char *why, size_t room);

/* The length, rate and kind of a recording; the rest of @out is left as it is. */
int query_session(const struct control_request *r, struct session_request *out, char *why,
		  size_t room);

/* last=SECONDS or recent=SECONDS: how far back; 0 in *@last_ns if neither is there. */
int query_last(const struct control_request *r, uint64_t *last_ns, bool *is_strict, char *why,
	       size_t room);

#endif
