/* SPDX-License-Identifier: Apache-2.0 */
/* A server of the control API in a thread of its own, on a socket in a folder of its own. */
#ifndef SERVED_H
#define SERVED_H

#include "control/server.h"

#include <pthread.h>

struct served {
	char dir[32], path[64]; /* the socket */
	struct control_server *server;
	sd_event *loop;
	int stop; /* eventfd: the loop ends */
	pthread_t thread;
};

/* Serves @endpoints, with @ctx, until served_end(). */
void served_begin(struct served *s, const struct control_endpoint *endpoints, void *ctx);

/* Nothing is left behind, or the test fails. */
void served_end(struct served *s);

#endif
