/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connection - one client's, from accept() to close(). The HTTP library sees those only
 * that were let in; of one that asks nothing for IDLE_SECONDS it sees the end.
 */
#ifndef SPPROF_CONTROL_CONNECTION_H
#define SPPROF_CONTROL_CONNECTION_H

#include "control/request.h"

struct connection {
	struct control_server *server;
	struct connection *next, **link; /* in server->connections */
	int fd;				 /* the HTTP library's */
	uid_t uid;
	uint64_t since_ns; /* waits for a request since (CLOCK_MONOTONIC); 0: it has one */
};

/* The HTTP library has taken a connection, or has closed it: its MHD_NotifyConnectionCallback. */
void connection_notify(void *server, struct MHD_Connection *c, void **slot,
		       enum MHD_ConnectionNotificationCode what);

/* A request has come, whole; or it is over and the next may come. */
void connection_has_request(struct MHD_Connection *c);
void connection_awaits_request(struct MHD_Connection *c);

/* Ends those that wait for a request. */
void connections_end_idle(struct control_server *s);

/* Takes in who comes to @s->listen_fd. 0 or -errno. */
int connections_start(struct control_server *s);
void connections_stop(struct control_server *s);

#endif
