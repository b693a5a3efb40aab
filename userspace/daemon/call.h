/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call - one request on its way: made in the main thread, worked on in the sampler's,
 * answered in the main thread. Whoever holds it owns it.
 */
#ifndef SPPROF_CALL_H
#define SPPROF_CALL_H

#include "base/buffer.h"
#include "daemon/heap_counters.h"
#include "daemon/heap_sessions.h"
#include "daemon/mailbox.h"
#include "daemon/session.h"

#include <jansson.h>
#include <stdbool.h>

struct control_request;
struct heap_ask;
struct sampler;

struct call {
	struct letter letter;			       /* first: a delivered letter is its call */
	struct mailbox *home;			       /* the main thread's: where answers go */
	void (*answer)(struct letter *l, void *owner); /* in the main thread */
	struct api *api;

	/* The main thread's. */
	struct control_request *request; /* NULL once the client has left */
	unsigned int session_began;	 /* 0: none, or not that we know */
	struct heap_ask *heap;		 /* of a question for a heap; see daemon/heap_desk.h */

	/* The question. */
	uid_t uid;
	bool sees_all;
	pid_t pid;
	unsigned int session_id;
	struct session_request session;
	struct selection selection; /* of windows and listings */
	uint64_t last_ns;	    /* how far back windows are asked; 0: not */
	bool is_strict;		    /* an error if there is not as much */
	struct heap_load heap_load; /* as it was when the question was put */
	struct heap_request heap_request;
	struct call *next; /* of those that wait for the same; the sampler's thread's */
	void (*work)(struct call *c, struct sampler *s); /* in the sampler's thread */
	/*
	 * Takes over what a recording brought, in the sampler's thread, and returns the call.
	 * NULL: it is answered as a pprof.
	 */
	void (*take_profile)(struct call *c, struct sampler *s, struct profile *p);

	/* The answer: bytes, or JSON, or an error. */
	int exit;	   /* enum spprof_exit */
	char message[512]; /* unless exit is 0 */
	json_t *json;
	struct buffer bytes;
	const char *type; /* of @bytes; NULL: a pprof */
};

/* Sets the error that is answered. */
void call_fail(struct call *c, int exit, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * The process @pid as the caller may see it, looked at afresh. NULL if it may not or if
 * it is no Python; the error is set then.
 */
struct process *call_process(struct call *c, struct sampler *s, pid_t pid);

/* Back to the main thread, which answers. */
void call_return(struct call *c);

#endif
