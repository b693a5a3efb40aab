/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The daemon's end of the control API: HTTP/1.1 over a Unix socket, inside an
 * sd-event loop. A handler answers at once or keeps the request and answers later;
 * either way exactly once.
 */
#ifndef SPPROF_CONTROL_SERVER_H
#define SPPROF_CONTROL_SERVER_H

#include "base/buffer.h"
#include "base/cleanup.h"

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

struct control_request;

struct control_endpoint {
	const char *method;
	/* A segment "*" matches any one segment: control_segment(). */
	const char *path;
	void (*handle)(struct control_request *r, void *ctx);
};

struct control_server;

/*
 * Listens on @path (mode 0666: who calls is judged per request) and serves @endpoints,
 * which end with a NULL method and outlive the server. A stale socket is replaced;
 * *@err is -EADDRINUSE if somebody answers on it, -EEXIST if something else than a socket
 * is there, -ENAMETOOLONG if the path does not fit a socket address. NULL and *@err on
 * failure.
 */
struct control_server *control_server_new(sd_event *loop, const char *path,
					  const struct control_endpoint *endpoints, void *ctx,
					  int *err);
/*
 * At most @connections clients at once, and @per_user of one user; root and the daemon's own
 * user are counted by themselves. Who is beyond that gets status 503 and an error. Those that
 * are there may stay. A client that asks nothing for 10 s is sent away, and so is one that
 * reads nothing of its answer for 60 s.
 */
void control_server_limit(struct control_server *s, unsigned int connections,
			  unsigned int per_user);

/*
 * Drops every connection and removes the socket. gone() is called for each request that
 * is still kept, so free the server before what these point to. NULL is fine.
 */
void control_server_free(struct control_server *s);
DEFINE_OWNS(control_server);

/*
 * Sends what was answered but has not gone out, until every client has left or @most_ms
 * are over: for the time after the loop has ended.
 */
void control_server_finish(struct control_server *s, unsigned int most_ms);

/* Who calls: SO_PEERCRED and SO_PEERGROUPS. */
uid_t control_uid(const struct control_request *r);
/* True for root, the daemon's own user, and members of the group `spprof`. */
bool control_sees_all(const struct control_request *r);

/* The value of ?name=…, decoded, or NULL; valid until the request is begun or answered. */
const char *control_query(const struct control_request *r, const char *name);
/* The path's segment that matched the @index-th "*", from 0. */
const char *control_segment(const struct control_request *r, unsigned int index);

/*
 * Keep the request to answer it later. @gone is called, once, if the client leaves
 * before; the request must then not be used any more. A client that shuts down its
 * sending side has left.
 */
void control_keep(struct control_request *r, void (*gone)(void *ctx), void *ctx);

/*
 * Sends status 200 and a header now, of an answer whose body comes later. After
 * control_keep(). An error then comes as the body, in place of what @type names: no pprof
 * begins with "{".
 */
void control_begin(struct control_request *r, const char *type, const char *header,
		   const char *value);

/* Answers. The JSON reference and the buffer's bytes are taken over. */
void control_answer_json(struct control_request *r, json_t *json);
void control_answer_bytes(struct control_request *r, const char *type, struct buffer *body);

/*
 * {"error":{"exit":N,"message":"…"}} with the HTTP status that goes with @exit
 * (enum spprof_exit): 400 usage, 404 no target, 403 denied, 422 unsupported, else 500.
 */
void control_answer_error(struct control_request *r, int exit, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
