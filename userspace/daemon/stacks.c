/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/stacks.h"

#include "base/clock.h"
#include "base/procfs.h"
#include "daemon/naming.h"
#include "daemon/sampler.h"
#include "daemon/stack_json.h"
#include "python/pylayout.h"
#include "resolve/outside.h"
#include "spprof_api.h"

#include <errno.h>
#include <string.h>

#define MAX_THREADS 4096
#define SAMPLE_HZ 1000
#define WAIT_US 4000 /* three ticks, and the time to take them out */
#define TRIES 100    /* readings from outside until two agree */

struct look_thread {
	pid_t tid;
	struct proc_stat stat;
	struct outside_stack *sampled; /* NULL: no tick met it */
};

struct look {
	struct watcher watcher; /* first: a watcher is its look */
	struct sampler *sampler;
	struct process *process;
	struct call *call;
	stacks_done *done;
	sd_event_source *timer, *end; /* of the wait, or of the sampler's loop before it */
	bool has_names;		      /* of its threads */
	size_t thread_count;
	struct look_thread *threads;
};

static void look_free(struct look *l)
{
	sampler_unwatch(l->sampler, &l->watcher);
	sd_event_source_disable_unref(l->timer);
	sd_event_source_disable_unref(l->end);
	process_unref(l->process);
	for (size_t i = 0; i < l->thread_count; i++)
		free(l->threads[i].sampled);
	free(l->threads);
	free(l);
}

/* Keeps the newest sample of each thread. */
static void on_sample(struct watcher *w, struct sampled *x)
{
	struct look *l = (struct look *)w;
	const struct sp_sample *sample = x->record;
	struct look_thread *t = l->threads;
	struct look_thread *end = t + l->thread_count;

	if (x->process != l->process)
		return;
	while (t < end && t->tid != (pid_t)sample->head.tid)
		t++;
	if (t == end)
		return;
	free(t->sampled);
	t->sampled = outside_stack_new(sample->frame_count);
	if (!t->sampled)
		return;
	t->sampled->ident = sample->ident;
	t->sampled->end = sample->end;
	t->sampled->frame_count = sample->frame_count;
	memcpy(t->sampled->frames, sample->frames, sample->frame_count * sizeof(sample->frames[0]));
}

/* Of a thread that no tick met: it slept, or waited for a processor. */
static int read_outside(struct look *l, pid_t tid, struct outside_stack *out)
{
	int err;

	out->end = SP_END_STARTING;
	if (!l->process->has_interpreter)
		return 0;
	err = outside_read_agreed(l->process->pid, tid, &l->process->interpreter, TRIES, out);
	if (err && err != -ESRCH) {
		out->ident = 0;
		out->frame_count = 0;
		out->end = SP_END_FAULT;
	}
	return err == -ESRCH ? err : 0;
}

static json_t *json_name(const struct look *l, const struct look_thread *t, uint64_t ident)
{
	const char *name = l->has_names ? naming_find(l->process, t->tid, ident) : NULL;

	return name ? json_string(name) : stack_json_text(t->stat.comm, strlen(t->stat.comm));
}

/* NULL when it has ended meanwhile. */
static json_t *json_thread(struct look *l, const struct look_thread *t)
{
	OWNS_MEM struct outside_stack *outside = NULL;
	const struct outside_stack *stack = t->sampled;

	if (!stack) {
		stack = outside = outside_stack_new(sampler_stack_depth(l->sampler));
		if (!outside || read_outside(l, t->tid, outside))
			return NULL;
	}
	return json_pack("{si so ss ss sI so}", "tid", t->tid, "name",
			 json_name(l, t, stack->ident), "state",
			 stack_json_state(t->sampled ? 'R' : t->stat.state), "read",
			 outside ? "outside" : "sampled", "ident", (json_int_t)stack->ident,
			 "frames", stack_json_frames(l->process, stack));
}

/* @l is over after this. */
static void hand_over(struct look *l, json_t *threads)
{
	if (!threads && !l->call->exit)
		call_fail(l->call, SPPROF_EXIT_FAILED, "out of memory");
	l->done(l->call, l->sampler, l->process, threads);
	look_free(l);
}

static void read_all(struct look *l)
{
	json_t *threads = json_array();

	l->has_names = naming_read(l->process);
	for (size_t i = 0; i < l->thread_count; i++) {
		json_t *thread = json_thread(l, &l->threads[i]);

		if (thread)
			json_array_append_new(threads, thread);
	}
	hand_over(l, threads);
}

static int on_time(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct look *l = userdata;

	(void)source;
	(void)usec;
	sampler_drain(l->sampler);
	read_all(l);
	return 0;
}

static int on_end(sd_event_source *source, void *userdata)
{
	return on_time(source, 0, userdata);
}

static int find_threads(struct look *l)
{
	OWNS_MEM pid_t *tids = calloc(MAX_THREADS, sizeof(*tids));
	ssize_t found = tids ? proc_threads(l->process->pid, tids, MAX_THREADS) : -ENOMEM;

	if (found < 0)
		return found;
	l->threads = calloc(found + 1, sizeof(*l->threads));
	if (!l->threads)
		return -ENOMEM;
	for (ssize_t i = 0; i < found && i < MAX_THREADS; i++) {
		struct look_thread *t = &l->threads[l->thread_count];

		t->tid = tids[i];
		if (!proc_stat_read(l->process->pid, tids[i], &t->stat))
			l->thread_count++;
	}
	return 0;
}

static bool has_running(const struct look *l)
{
	for (size_t i = 0; i < l->thread_count; i++)
		if (l->threads[i].stat.state == 'R')
			return true;
	return false;
}

/* Waits for three ticks if a thread runs; else, or at the daemon's end, all is read at once. */
static int start(struct look *l)
{
	sd_event *loop = sampler_loop(l->sampler);
	int err = find_threads(l);

	if (err || !has_running(l) || sd_event_get_state(loop) == SD_EVENT_FINISHED)
		return err;
	err = sampler_watch(l->sampler, &l->watcher);
	if (err)
		return err;
	err = sd_event_add_exit(loop, &l->end, on_end, l);
	if (err < 0)
		return err;
	return sd_event_add_time_relative(loop, &l->timer, CLOCK_MONOTONIC, WAIT_US, 500, on_time,
					  l);
}

void stacks_begin(struct call *c, struct sampler *s, struct process *p, stacks_done *done)
{
	struct look *l = calloc(1, sizeof(*l));
	int err;

	if (!l) {
		call_fail(c, SPPROF_EXIT_FAILED, "out of memory");
		return done(c, s, p, NULL);
	}
	*l = (struct look){ .watcher = { .hz = SAMPLE_HZ, .on_sample = on_sample },
			    .sampler = s,
			    .process = process_ref(p),
			    .call = c,
			    .done = done };
	err = start(l);
	if (err < 0) {
		call_fail(c, err == -ESRCH ? SPPROF_EXIT_NO_TARGET : SPPROF_EXIT_FAILED,
			  "cannot look at process %d: %s", p->pid, strerror(-err));
		hand_over(l, NULL);
	} else if (!l->timer) {
		read_all(l);
	}
}

static void answer(struct call *c, struct sampler *s, struct process *p, json_t *threads)
{
	char version[16] = "";

	(void)s;
	if (p->has_interpreter)
		pylayout_version_text(&p->interpreter.layout, version);
	if (threads) {
		c->json = json_pack("{si ss ss so}", "pid", p->pid, "name", p->name, "python",
				    version, "threads", threads);
		if (!c->json)
			call_fail(c, SPPROF_EXIT_FAILED, "out of memory");
	}
	call_return(c);
}

void stacks_read(struct call *c, struct sampler *s)
{
	struct process *p = call_process(c, s, c->pid);

	if (!p)
		return call_return(c);
	stacks_begin(c, s, p, answer);
}
