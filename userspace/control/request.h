/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the server share: a server's and a request's insides. */
#ifndef SPPROF_CONTROL_REQUEST_H
#define SPPROF_CONTROL_REQUEST_H

#include "control/admission.h"
#include "control/listen.h"
#include "control/refusal.h"
#include "control/server.h"

#include <microhttpd.h>

#define REQUEST_SEGMENTS 8 /* of a path, at most */

struct control_server {
	struct MHD_Daemon *http;
	sd_event *loop;
	sd_event_source *ready, *timer;
	const struct control_endpoint *endpoints;
	void *ctx;
	gid_t group; /* whose members see all; -1: none */
	struct listen_place place;
	int listen_fd;
	sd_event_source *arrival, *sweep; /* of clients; for those that ask nothing */
	struct admission admission;
	struct refusals refusals;
	struct connection *connections;	  /* all that were let in */
	struct control_request *requests; /* all that are not over */
	bool has_resumed;		  /* since the HTTP library ran last */
};

enum request_state {
	REQUEST_NEW,
	REQUEST_KEPT,
	REQUEST_BEGUN, /* kept, and the header is on its way */
	REQUEST_ANSWERED,
	REQUEST_GONE,
};

struct control_request {
	struct control_server *server;
	struct MHD_Connection *connection;
	struct control_request *next, **link; /* in server->requests */
	enum request_state state;
	bool is_suspended;
	sd_event_source *watch; /* while suspended: for the client's leaving */
	void (*gone)(void *ctx);
	void *gone_ctx;
	struct buffer body; /* of an answer that was begun */

	char *path;			 /* cut into its segments */
	char *matched[REQUEST_SEGMENTS]; /* those that matched a "*" */
};

/* NULL when out of memory. */
struct control_request *request_new(struct control_server *s, struct MHD_Connection *c);
void request_free(struct control_request *r); /* NULL is fine */

/* The client left, or is made to: calls gone() if somebody still wants to answer. */
void request_drop(struct control_request *r);

/* Suspended, the HTTP library leaves the connection alone and we watch for its end. */
void request_suspend(struct control_request *r);
void request_resume(struct control_request *r); /* nothing if it is not suspended */

/* An error with the HTTP status given, and an Allow header unless @allow is NULL. */
void request_refuse(struct control_request *r, unsigned int status, const char *allow,
		    const char *message);

/*
 * Runs the HTTP library soon: with an external loop it is not woken by a resume, nor does
 * its timeout tell (0.9.75).
 */
void server_wake(struct control_server *s);

/* Has the HTTP library do now what there is to do. */
void server_run(struct control_server *s);

/* Hands the request to the endpoint of @method and @url, or refuses it. */
void route_request(struct control_request *r, const char *method, const char *url);

#endif
