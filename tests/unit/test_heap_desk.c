/* SPDX-License-Identifier: Apache-2.0 */
/* Who waits for which heap: with a worker, and scans that last until the test lets them end. */
#include "daemon/heap_desk.h"

#include "daemon/call.h"
#include "daemon/heap_job.h"
#include "daemon/worker.h"
#include "spprof_api.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <string.h>

#define MOST_CALLS 8

/* Criterion runs each test in a process of its own. */
static sem_t has_begun, may_end;
static struct call *answered[MOST_CALLS];
static unsigned int answer_count, scan_count;

/* A scan: ends when it may, or is cancelled. Of process 13 it fails. */
static void scan(struct heap_job *job)
{
	scan_count++;
	sem_post(&has_begun);
	while (sem_trywait(&may_end))
		if (atomic_load(&job->is_cancelled)) {
			job->exit = SPPROF_EXIT_FAILED;
			strcpy(job->message, "given up");
			job->busy_ns = 3;
			return;
		}
	job->busy_ns = 5;
	if (job->subject.pid == 13) {
		job->exit = SPPROF_EXIT_NO_TARGET;
		strcpy(job->message, "it has ended");
		return;
	}
	buffer_print(&job->json, "{\"pid\":%d,\"scan\":%u}", job->subject.pid, scan_count);
	job->scanned_bytes = 100;
}

static void answer(struct letter *l, void *owner)
{
	(void)owner;
	answered[answer_count++] = (struct call *)l;
}

struct scene {
	struct worker *worker;
	struct mailbox *home;
	sd_event *loop;
	struct heap_desk *desk;
};

static void begin(struct scene *s)
{
	int err;

	sem_init(&has_begun, 0, 0);
	sem_init(&may_end, 0, 0);
	s->worker = worker_new(&err);
	s->home = mailbox_new(NULL);
	cr_assert(sd_event_new(&s->loop) >= 0 && mailbox_attach(s->home, s->loop) >= 0);
	s->desk = heap_desk_new(s->worker, s->home, scan);
	cr_assert(s->worker != NULL);
	cr_assert(s->desk != NULL);
}

static void end(struct scene *s)
{
	heap_desk_end(s->desk);
	worker_stop(s->worker);
	mailbox_free(s->home);
	sd_event_unref(s->loop);
	worker_free(s->worker);
	cr_expect(eq(uint, heap_desk_load(s->desk).asks, 0));
	heap_desk_free(s->desk);
}

/* What lies in the mailbox is delivered, after a wait for it. */
static void turn(struct scene *s)
{
	cr_assert(sd_event_run(s->loop, 5000000) > 0, "nothing came");
}

/* A client of @uid, not yet looked for. The request is never used but for being there. */
static struct call *ask(struct scene *s, uid_t uid)
{
	struct call *c = calloc(1, sizeof(*c));

	c->home = s->home;
	c->answer = answer;
	c->uid = uid;
	c->request = (struct control_request *)c;
	cr_assert(heap_desk_take(s->desk, c) == 0);
	return c;
}

/* As the sampler's thread does. */
static void find(struct scene *s, struct call *c, pid_t pid, uint64_t start_ticks)
{
	struct heap_subject *subject = &c->heap->subject;

	subject->pid = pid;
	subject->start_ticks = start_ticks;
	subject->image = open("/dev/null", O_RDONLY);
	call_return(c);
	turn(s);
}

static void leave(struct call *c)
{
	c->request = NULL;
	heap_desk_leave(c);
}

static void expect_text(struct call *c, const char *text)
{
	cr_expect(c->exit == 0);
	cr_expect(eq(str, c->bytes.data, (char *)text));
	cr_expect(c->heap == NULL);
}

static void forget(struct call *c)
{
	buffer_fini(&c->bytes);
	free(c);
}

static void expect_counts(const struct scene *s, const uint64_t expected[HEAP_COUNT_MAX])
{
	struct heap_load load = heap_desk_load(s->desk);

	for (unsigned int i = 0; i < HEAP_COUNT_MAX; i++)
		cr_expect(load.count[i] == expected[i], "counter %u is %llu", i,
			  (unsigned long long)load.count[i]);
}

Test(heap_desk, one_heap_at_a_time_in_the_order_of_asking, .timeout = 20)
{
	static const char *const texts[] = { "{\"pid\":11,\"scan\":1}", "{\"pid\":12,\"scan\":2}" };
	struct scene s;
	struct call *calls[2];

	begin(&s);
	for (unsigned int i = 0; i < 2; i++)
		calls[i] = ask(&s, 7);
	for (unsigned int i = 0; i < 2; i++)
		find(&s, calls[i], 11 + i, 1);
	cr_expect(eq(uint, heap_desk_asks_of(s.desk, 7), 2));
	for (unsigned int i = 0; i < 2; i++) {
		sem_wait(&has_begun);
		cr_expect(sem_trywait(&has_begun) == -1, "only one runs");
		sem_post(&may_end);
		turn(&s);
		cr_assert(eq(uint, answer_count, i + 1));
		cr_expect(answered[i] == calls[i]);
		expect_text(calls[i], texts[i]);
	}
	expect_counts(&s, (uint64_t[HEAP_COUNT_MAX]){ [HEAP_COUNT_DONE] = 2,
						      [HEAP_COUNT_BYTES] = 200,
						      [HEAP_COUNT_BUSY_NS] = 10 });
	for (unsigned int i = 0; i < 2; i++)
		forget(calls[i]);
	end(&s);
}

Test(heap_desk, who_waits_when_a_scan_begins_shares_it_and_who_comes_later_does_not, .timeout = 20)
{
	static const struct {
		pid_t pid;
		uint64_t start_ticks;
		const char *text;
	} rows[] = {
		{ 11, 1, "{\"pid\":11,\"scan\":1}" }, /* runs while the others come */
		{ 11, 1, "{\"pid\":11,\"scan\":2}" }, { 11, 2, "{\"pid\":11,\"scan\":3}" },
		{ 11, 1, "{\"pid\":11,\"scan\":2}" }, { 12, 1, "{\"pid\":12,\"scan\":4}" },
	};
	enum { ROWS = sizeof(rows) / sizeof(rows[0]) };
	struct call *calls[ROWS];
	struct scene s;

	begin(&s);
	for (unsigned int i = 0; i < ROWS; i++) {
		calls[i] = ask(&s, 7);
		find(&s, calls[i], rows[i].pid, rows[i].start_ticks);
	}
	while (answer_count < ROWS) {
		sem_wait(&has_begun);
		sem_post(&may_end);
		turn(&s);
	}
	for (unsigned int i = 0; i < ROWS; i++) {
		expect_text(calls[i], rows[i].text);
		forget(calls[i]);
	}
	expect_counts(&s, (uint64_t[HEAP_COUNT_MAX]){ [HEAP_COUNT_DONE] = 4,
						      [HEAP_COUNT_SHARED] = 1,
						      [HEAP_COUNT_BYTES] = 400,
						      [HEAP_COUNT_BUSY_NS] = 20 });
	end(&s);
}

Test(heap_desk, a_scan_is_given_up_when_the_last_who_wanted_it_has_left, .timeout = 20)
{
	struct call *first, *second, *third;
	struct scene s;

	begin(&s);
	first = ask(&s, 7);
	second = ask(&s, 7);
	third = ask(&s, 7);
	find(&s, first, 12, 1);
	sem_wait(&has_begun);
	find(&s, second, 11, 1);
	find(&s, third, 11, 1);
	sem_post(&may_end);
	turn(&s);
	sem_wait(&has_begun);
	leave(second);
	usleep(5000);
	cr_expect(sem_trywait(&may_end) == -1, "it runs on for the third");
	cr_expect(eq(uint, answer_count, 1));
	leave(third);
	turn(&s);
	cr_expect(eq(uint, answer_count, 3));
	expect_counts(&s, (uint64_t[HEAP_COUNT_MAX]){ [HEAP_COUNT_DONE] = 1,
						      [HEAP_COUNT_CANCELLED] = 1,
						      [HEAP_COUNT_SHARED] = 1,
						      [HEAP_COUNT_BYTES] = 100,
						      [HEAP_COUNT_BUSY_NS] = 8 });
	forget(first);
	forget(second);
	forget(third);
	end(&s);
}

Test(heap_desk, who_leaves_before_the_turn_costs_no_scan, .timeout = 20)
{
	struct call *first, *waiting, *looking;
	struct scene s;

	begin(&s);
	first = ask(&s, 7);
	waiting = ask(&s, 7);
	looking = ask(&s, 7);
	find(&s, first, 11, 1);
	find(&s, waiting, 12, 1);
	leave(waiting);
	cr_expect(answered[0] == waiting);
	leave(looking);
	cr_expect(eq(uint, answer_count, 1), "the sampler's thread has it still");
	find(&s, looking, 13, 1);
	cr_expect(answered[1] == looking);
	sem_post(&may_end);
	while (answer_count < 3)
		turn(&s);
	cr_expect(eq(uint, scan_count, 1));
	forget(first);
	forget(waiting);
	forget(looking);
	end(&s);
}

Test(heap_desk, errors_reach_who_asked_and_the_next_one_has_its_turn, .timeout = 20)
{
	struct call *denied, *gone, *fine;
	struct scene s;

	begin(&s);
	denied = ask(&s, 7);
	gone = ask(&s, 7);
	fine = ask(&s, 7);
	call_fail(denied, SPPROF_EXIT_DENIED, "it is another user's");
	call_return(denied);
	turn(&s);
	cr_expect(eq(int, denied->exit, SPPROF_EXIT_DENIED));
	find(&s, gone, 13, 1);
	find(&s, fine, 11, 1);
	sem_post(&may_end);
	sem_post(&may_end);
	while (answer_count < 3)
		turn(&s);
	cr_expect(eq(int, gone->exit, SPPROF_EXIT_NO_TARGET));
	cr_expect(eq(str, gone->message, "it has ended"));
	expect_text(fine, "{\"pid\":11,\"scan\":2}");
	expect_counts(&s, (uint64_t[HEAP_COUNT_MAX]){ [HEAP_COUNT_DONE] = 1,
						      [HEAP_COUNT_FAILED] = 1,
						      [HEAP_COUNT_BYTES] = 100,
						      [HEAP_COUNT_BUSY_NS] = 10 });
	forget(denied);
	forget(gone);
	forget(fine);
	end(&s);
}

Test(heap_desk, at_the_daemons_end_everybody_gets_an_answer, .timeout = 20)
{
	struct call *running, *waiting, *looking;
	struct scene s;

	begin(&s);
	running = ask(&s, 7);
	waiting = ask(&s, 7);
	looking = ask(&s, 7);
	find(&s, running, 11, 1);
	find(&s, waiting, 12, 1);
	sem_wait(&has_begun);
	looking->heap->subject.image = -1;
	call_return(looking);
	end(&s);
	cr_expect(eq(uint, answer_count, 3));
	cr_expect(eq(uint, scan_count, 1));
	for (unsigned int i = 0; i < 3; i++) {
		cr_expect(eq(int, answered[i]->exit, SPPROF_EXIT_FAILED));
		forget(answered[i]);
	}
}

Test(heap_desk, questions_are_counted_by_user, .timeout = 20)
{
	struct call *calls[3];
	struct scene s;

	begin(&s);
	for (unsigned int i = 0; i < 3; i++)
		calls[i] = ask(&s, i ? 8 : 7);
	cr_expect(eq(uint, heap_desk_asks_of(s.desk, 7), 1));
	cr_expect(eq(uint, heap_desk_asks_of(s.desk, 8), 2));
	cr_expect(eq(uint, heap_desk_asks_of(s.desk, 9), 0));
	heap_desk_refuse(s.desk);
	expect_counts(&s, (uint64_t[HEAP_COUNT_MAX]){ [HEAP_COUNT_REFUSED] = 1 });
	for (unsigned int i = 0; i < 3; i++)
		call_return(calls[i]);
	end(&s);
	for (unsigned int i = 0; i < 3; i++)
		forget(calls[i]);
}
