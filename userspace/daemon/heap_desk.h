/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_desk - who waits for the heap of which process. One scan at a time: those who wait for the
 * same process when its scan begins all get its answer, which is so never older than the
 * question. In the main thread.
 */
#ifndef SPPROF_HEAP_DESK_H
#define SPPROF_HEAP_DESK_H

#include "base/cleanup.h"
#include "daemon/heap_counters.h"
#include "daemon/heap_subject.h"
#include "daemon/mailbox.h"

struct call;
struct heap_desk;
struct heap_job;
struct worker;

/* What a call has to do with the desk. */
struct heap_ask {
	struct heap_ask *next; /* in the order of their coming */
	struct heap_desk *desk;
	struct call *call;
	struct heap_subject subject; /* filled in the sampler's thread, on the call's way there */
	enum { ASK_LOOKS, ASK_WAITS, ASK_SERVED } state;
	void (*reply)(struct letter *l, void *owner); /* the call's own answer() */
};

/* Jobs are run by @run in the thread of @w and come back to @home, as the calls do. */
struct heap_desk *heap_desk_new(struct worker *w, struct mailbox *home,
				void (*run)(struct heap_job *job));
/* Nobody waits any more: after heap_desk_end(). NULL is fine. */
void heap_desk_free(struct heap_desk *d);
DEFINE_OWNS(heap_desk);

/* How many questions of @uid are not answered yet. */
unsigned int heap_desk_asks_of(const struct heap_desk *d, uid_t uid);
/* Counts a question that was not taken in. */
void heap_desk_refuse(struct heap_desk *d);

/*
 * Takes @c in: c->heap is its ask. When it returns from the sampler's thread with its subject it
 * waits for its turn; it is answered when the scan is over. 0 or -ENOMEM.
 */
int heap_desk_take(struct heap_desk *d, struct call *c);

/* The client of @c, which was taken in, has left: c->request is NULL. @c may be gone after. */
void heap_desk_leave(struct call *c);

/* The daemon ends: gives up what runs, and answers who waits, now or as soon as they arrive. */
void heap_desk_end(struct heap_desk *d);

struct heap_load heap_desk_load(const struct heap_desk *d);

#endif
