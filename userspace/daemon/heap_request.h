/* SPDX-License-Identifier: Apache-2.0 */
/* heap_request - what a query of /v1/heap/… says of a session. Pure. */
#ifndef SPPROF_HEAP_REQUEST_H
#define SPPROF_HEAP_REQUEST_H

#include "daemon/heap_sessions.h"

#include <stddef.h>

#define HEAP_REQUEST_OVERHEAD_MOST 100000 /* percent: whoever wants no cap */

/* The values of the query; NULL: it is not there. */
struct heap_words {
	const char *tier, *rate, *max_overhead, *seconds, *discard;
};

/* 0 and *@out; -EINVAL, and in @why, of @room bytes, what is wrong. */
int heap_request_read(const struct heap_words *words, struct heap_request *out, char *why,
		      size_t room);

#endif
