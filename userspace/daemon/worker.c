/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/worker.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

#define NICER 10 /* a scan takes what the samples and the targets leave over */

struct worker {
	struct mailbox *mailbox;
	sd_event *loop;
	pthread_t thread;
	bool has_thread;
};

static void *run(void *ctx)
{
	struct worker *w = ctx;

	pthread_setname_np(pthread_self(), "spprof-worker");
	(void)!nice(NICER); /* of this thread only: nice(2), "C library/kernel differences" */
	sd_event_loop(w->loop);
	return NULL;
}

static int start(struct worker *w)
{
	int err = sd_event_new(&w->loop);

	if (err >= 0)
		err = mailbox_attach(w->mailbox, w->loop);
	if (err >= 0)
		err = -pthread_create(&w->thread, NULL, run, w);
	w->has_thread = err >= 0;
	return err < 0 ? err : 0;
}

struct worker *worker_new(int *err)
{
	OWNS(worker) struct worker *w = calloc(1, sizeof(*w));

	*err = -ENOMEM;
	if (!w)
		return NULL;
	w->mailbox = mailbox_new(w);
	if (!w->mailbox)
		return NULL;
	*err = start(w);
	return *err ? NULL : TAKE(w);
}

void worker_post(struct worker *w, struct letter *l)
{
	mailbox_post(w->mailbox, l);
}

static void stop_loop(struct letter *l, void *owner)
{
	struct worker *w = owner;

	(void)l;
	sd_event_exit(w->loop, 0);
}

void worker_stop(struct worker *w)
{
	struct letter stop = { .deliver = stop_loop };

	if (w->has_thread) {
		mailbox_post(w->mailbox, &stop);
		pthread_join(w->thread, NULL);
		w->has_thread = false;
	}
	mailbox_deliver(w->mailbox);
}

void worker_free(struct worker *w)
{
	if (!w)
		return;
	if (w->mailbox)
		worker_stop(w);
	mailbox_free(w->mailbox);
	sd_event_unref(w->loop);
	free(w);
}
