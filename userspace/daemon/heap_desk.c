/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/heap_desk.h"

#include "daemon/call.h"
#include "daemon/heap_job.h"
#include "daemon/worker.h"
#include "spprof_api.h"

#include <errno.h>
#include <string.h>

#define JSON_TYPE "application/json"

/* The job with its way there and back; the desk's at all times. */
struct errand {
	struct letter letter; /* first */
	struct heap_desk *desk;
	struct mailbox *home;
	void (*run)(struct heap_job *job);
	struct heap_job job;
};

struct heap_desk {
	struct worker *worker;
	struct heap_ask *asks;
	struct errand errand;
	bool is_busy; /* the errand is with the worker */
	bool is_ending;
	struct heap_load load;
};

struct heap_desk *heap_desk_new(struct worker *w, struct mailbox *home,
				void (*run)(struct heap_job *job))
{
	struct heap_desk *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->worker = w;
	d->errand.desk = d;
	d->errand.home = home;
	d->errand.run = run;
	d->errand.job.subject.image = -1;
	return d;
}

void heap_desk_free(struct heap_desk *d)
{
	free(d);
}

/* --- the way of a call --- */

/* Answers the call of @ask, and forgets both. */
static void finish(struct heap_ask *ask)
{
	struct heap_desk *d = ask->desk;
	struct call *c = ask->call;
	struct heap_ask **at = &d->asks;

	while (*at != ask)
		at = &(*at)->next;
	*at = ask->next;
	d->load.asks--;
	c->heap = NULL;
	c->answer = ask->reply;
	heap_subject_fini(&ask->subject);
	free(ask);
	c->answer(&c->letter, NULL);
}

static void begin_next(struct heap_desk *d);

/* The call is back from the sampler's thread. */
static void on_found(struct letter *l, void *owner)
{
	struct call *c = (struct call *)l;
	struct heap_ask *ask = c->heap;

	(void)owner;
	if (!c->exit && ask->desk->is_ending)
		call_fail(c, SPPROF_EXIT_FAILED, "spprofd is ending and scans no heaps any more");
	if (c->exit || !c->request)
		return finish(ask);
	ask->state = ASK_WAITS;
	begin_next(ask->desk);
}

int heap_desk_take(struct heap_desk *d, struct call *c)
{
	struct heap_ask *ask = calloc(1, sizeof(*ask)), **last = &d->asks;

	if (!ask)
		return -ENOMEM;
	ask->desk = d;
	ask->call = c;
	ask->reply = c->answer;
	ask->subject.image = -1;
	c->answer = on_found;
	c->heap = ask;
	while (*last)
		last = &(*last)->next;
	*last = ask;
	d->load.asks++;
	return 0;
}

static bool is_anybody_served(const struct heap_desk *d)
{
	for (const struct heap_ask *ask = d->asks; ask; ask = ask->next)
		if (ask->state == ASK_SERVED && ask->call->request)
			return true;
	return false;
}

void heap_desk_leave(struct call *c)
{
	struct heap_ask *ask = c->heap;

	if (ask->state == ASK_WAITS)
		finish(ask);
	else if (ask->state == ASK_SERVED && !is_anybody_served(ask->desk))
		atomic_store(&ask->desk->errand.job.is_cancelled, true);
}

unsigned int heap_desk_asks_of(const struct heap_desk *d, uid_t uid)
{
	unsigned int count = 0;

	for (const struct heap_ask *ask = d->asks; ask; ask = ask->next)
		count += ask->call->uid == uid;
	return count;
}

void heap_desk_refuse(struct heap_desk *d)
{
	d->load.count[HEAP_COUNT_REFUSED]++;
}

/* --- the way of a job --- */

static void count(struct heap_desk *d, unsigned int served)
{
	const struct heap_job *job = &d->errand.job;
	uint64_t *counts = d->load.count;

	if (!job->exit)
		counts[HEAP_COUNT_DONE]++;
	else if (atomic_load(&job->is_cancelled))
		counts[HEAP_COUNT_CANCELLED]++;
	else
		counts[HEAP_COUNT_FAILED]++;
	counts[HEAP_COUNT_SHARED] += served - 1;
	counts[HEAP_COUNT_BYTES] += job->scanned_bytes;
	counts[HEAP_COUNT_BUSY_NS] += job->busy_ns;
}

static void copy_answer(const struct heap_job *job, struct call *c)
{
	_Static_assert(sizeof(c->message) == sizeof(job->message), "it is copied whole");

	c->exit = job->exit;
	memcpy(c->message, job->message, sizeof(c->message));
	c->type = JSON_TYPE;
	if (c->request && !job->exit)
		buffer_add(&c->bytes, job->json.data, job->json.len);
}

/* The errand is back from the worker's thread. */
static void on_done(struct letter *l, void *owner)
{
	struct errand *e = (struct errand *)l;
	struct heap_desk *d = e->desk;
	unsigned int served = 0;

	(void)owner;
	d->is_busy = false;
	for (struct heap_ask *ask = d->asks, *next; ask; ask = next) {
		next = ask->next;
		if (ask->state != ASK_SERVED)
			continue;
		copy_answer(&e->job, ask->call);
		finish(ask);
		served++;
	}
	count(d, served);
	buffer_fini(&e->job.json);
	heap_subject_fini(&e->job.subject);
	begin_next(d);
}

/* In the worker's thread. */
static void do_errand(struct letter *l, void *owner)
{
	struct errand *e = (struct errand *)l;

	(void)owner;
	e->run(&e->job);
	l->deliver = on_done;
	mailbox_post(e->home, l);
}

static void begin_next(struct heap_desk *d)
{
	struct errand *e = &d->errand;
	struct heap_ask *first = d->asks;

	while (first && first->state != ASK_WAITS)
		first = first->next;
	if (d->is_busy || !first)
		return;
	e->job = (struct heap_job){ .subject = first->subject };
	for (struct heap_ask *ask = first; ask; ask = ask->next)
		if (ask->state == ASK_WAITS && heap_subject_is_same(&ask->subject, &e->job.subject))
			ask->state = ASK_SERVED;
	first->subject = (struct heap_subject){ .image = -1 }; /* it is the job's now */
	d->is_busy = true;
	e->letter.deliver = do_errand;
	worker_post(d->worker, &e->letter);
}

void heap_desk_end(struct heap_desk *d)
{
	d->is_ending = true;
	atomic_store(&d->errand.job.is_cancelled, true);
	for (struct heap_ask *ask = d->asks, *next; ask; ask = next) {
		next = ask->next;
		if (ask->state != ASK_WAITS)
			continue;
		call_fail(ask->call, SPPROF_EXIT_FAILED,
			  "spprofd is ending and scans no heaps any more");
		finish(ask);
	}
}

struct heap_load heap_desk_load(const struct heap_desk *d)
{
	return d->load;
}
