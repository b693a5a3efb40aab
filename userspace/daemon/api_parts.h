/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of the api: api.c has the endpoints, api_heap.c those of sessions of heaps, api_calls.c
 * takes calls to the sampler and back.
 */
#ifndef SPPROF_API_PARTS_H
#define SPPROF_API_PARTS_H

#include "control/server.h"
#include "daemon/call.h"
#include "daemon/config.h"
#include "daemon/heap_desk.h"

struct api {
	struct sampler *sampler;
	struct worker *worker;
	struct mailbox *home;
	struct control_server *server;
	struct recorder *recorder; /* the sampler's thread's */
	struct heap_desk *heaps;
	struct config config;
	uint64_t start_ns;
};

/* Makes a call of the request and keeps that; NULL when it was answered with an error. */
struct call *api_keep(struct control_request *r, struct api *a);

/* Has @work done in the sampler's thread, which takes the call over. */
void api_post(struct call *c, void (*work)(struct call *c, struct sampler *s));

/*
 * The call's session runs: its client is told the id, and its leaving ends the session. In the
 * sampler's thread; without memory the client learns of the session at its end.
 */
void api_tell_began(struct call *c, unsigned int session_id);

/* POST /v1/heap/start, POST /v1/heap/stop, GET /v1/heap/status. */
void api_start_heap(struct control_request *r, void *ctx);
void api_stop_heap(struct control_request *r, void *ctx);
void api_tell_heaps(struct control_request *r, void *ctx);

#endif
