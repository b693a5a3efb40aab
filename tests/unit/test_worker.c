/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/worker.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>

#define LETTERS 100

/* What one letter saw where it was delivered. */
struct note {
	struct letter letter; /* first */
	unsigned int number;
	struct log *log;
	pthread_t thread;
	char name[16];
	int nice;
};

struct log {
	struct note notes[LETTERS];
	unsigned int count;
	bool is_in_order;
	sem_t done;
};

static void take(struct letter *l, void *owner)
{
	struct note *n = (struct note *)l;

	(void)owner;
	n->thread = pthread_self();
	pthread_getname_np(n->thread, n->name, sizeof(n->name));
	n->nice = getpriority(PRIO_PROCESS, 0);
	n->log->is_in_order &= n->number == n->log->count++;
	sem_post(&n->log->done);
}

static void begin(struct log *log)
{
	*log = (struct log){ .is_in_order = true };
	sem_init(&log->done, 0, 0);
	for (unsigned int i = 0; i < LETTERS; i++)
		log->notes[i] =
			(struct note){ .letter = { .deliver = take }, .number = i, .log = log };
}

static struct worker *start(void)
{
	int err;
	struct worker *w = worker_new(&err);

	cr_assert(w != NULL);
	cr_assert(eq(int, err, 0));
	return w;
}

Test(worker, letters_are_done_in_order_in_a_thread_of_their_own_that_is_nicer, .timeout = 20)
{
	OWNS(worker) struct worker *w = start();
	struct log log;

	begin(&log);
	for (unsigned int i = 0; i < LETTERS; i++)
		worker_post(w, &log.notes[i].letter);
	for (unsigned int i = 0; i < LETTERS; i++)
		sem_wait(&log.done);
	cr_expect(log.is_in_order);
	for (unsigned int i = 0; i < LETTERS; i++) {
		cr_expect(not(pthread_equal(log.notes[i].thread, pthread_self())));
		cr_expect(eq(str, log.notes[i].name, "spprof-worker"));
		cr_expect(log.notes[i].nice > getpriority(PRIO_PROCESS, 0));
	}
}

Test(worker, what_waits_at_the_end_is_done, .timeout = 20)
{
	OWNS(worker) struct worker *w = start();
	struct log log;

	begin(&log);
	for (unsigned int i = 0; i < LETTERS / 2; i++)
		worker_post(w, &log.notes[i].letter);
	worker_stop(w);
	cr_expect(eq(uint, log.count, LETTERS / 2));
	for (unsigned int i = LETTERS / 2; i < LETTERS; i++)
		worker_post(w, &log.notes[i].letter);
	cr_expect(eq(uint, log.count, LETTERS / 2));
	worker_stop(w);
	cr_expect(eq(uint, log.count, LETTERS));
	cr_expect(log.is_in_order);
	cr_expect(pthread_equal(log.notes[LETTERS - 1].thread, pthread_self()));
}

/* A letter that is being done when the end comes. */
struct long_work {
	struct letter letter; /* first */
	sem_t has_begun, may_end;
	bool is_done;
};

static void work_long(struct letter *l, void *owner)
{
	struct long_work *w = (struct long_work *)l;

	(void)owner;
	sem_post(&w->has_begun);
	sem_wait(&w->may_end);
	w->is_done = true;
}

static void *let_end(void *ctx)
{
	struct long_work *w = ctx;

	usleep(20000); /* so that the stop waits already */
	sem_post(&w->may_end);
	return NULL;
}

Test(worker, the_end_waits_for_what_is_being_done, .timeout = 20)
{
	OWNS(worker) struct worker *w = start();
	struct long_work work = { .letter = { .deliver = work_long } };
	pthread_t other;

	sem_init(&work.has_begun, 0, 0);
	sem_init(&work.may_end, 0, 0);
	worker_post(w, &work.letter);
	sem_wait(&work.has_begun);
	cr_assert(pthread_create(&other, NULL, let_end, &work) == 0);
	worker_stop(w);
	cr_expect(work.is_done);
	pthread_join(other, NULL);
}
