/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon, as far as the sampling of allocations goes, in a thread of its own. */
#ifndef HEAP_DAEMON_H
#define HEAP_DAEMON_H

#include "base/buffer.h"
#include "served.h"

#include <stdbool.h>

#define HEAP_DAEMON_PIDS 8

/* It knows no more than what is sampled of which process. */
struct heap_daemon {
	struct served served;
	pthread_t client;
	struct buffer asked;		      /* "start 1 12;read 1;discard 1;" */
	const char *states[HEAP_DAEMON_PIDS]; /* of a process's sampling; NULL: none */
	int refused[HEAP_DAEMON_PIDS];	      /* the exit code that its start is answered with */
	const char *tiers[HEAP_DAEMON_PIDS];  /* on its heap; NULL: no session there */
	unsigned int status_calls;	      /* of all processes */
	bool ends_soon;			      /* at the first look at how it goes */
	bool interrupts;		      /* the client then */
	bool interrupts_start;		      /* which is then never answered */
};

/* Serves at d->served.path until heap_daemon_end(); the caller is its client. */
void heap_daemon_begin(struct heap_daemon *d);
void heap_daemon_end(struct heap_daemon *d);

#endif
