/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder - the sessions that run. A session is idle until it is started, runs until its
 * time is over, it is stopped or its processes have ended, and is gone when its profile
 * was handed over. In the sampler's thread only.
 */
#ifndef SPPROF_RECORDER_H
#define SPPROF_RECORDER_H

#include "daemon/call.h"

struct recorder;

/* @began is called with the call when its session runs. NULL when out of memory. */
struct recorder *recorder_new(void (*began)(struct call *c, unsigned int session_id));
/* Ends every session; their calls are returned with what they have. NULL is fine. */
void recorder_free(struct recorder *r);
DEFINE_OWNS(recorder);

/*
 * Starts the session that @c asks for and keeps @c until it ends; then its bytes are the
 * pprof. A call that cannot be served is returned at once.
 */
void recorder_start(struct recorder *r, struct call *c, struct sampler *s);

/*
 * Stops @c->session_id on behalf of @c, who must be who started it or see all. The
 * session's own call is returned with the profile.
 */
void recorder_stop(struct recorder *r, struct call *c, struct sampler *s);

/* Drops the session of a client that left. */
void recorder_abandon(struct recorder *r, unsigned int session_id);

#endif
