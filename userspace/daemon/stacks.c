/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/stacks.h"

#include "base/clock.h"
#include "base/procfs.h"
#include "base/utf8.h"
#include "daemon/frames.h"
#include "daemon/sampler.h"
#include "python/pylayout.h"
#include "resolve/outside.h"
#include "spprof_api.h"

#include <errno.h>
#include <string.h>

#define MAX_THREADS 4096
#define SAMPLE_HZ 1000
#define WAIT_US 4000 /* three ticks, and the time to take them out */
#define TRIES 100    /* readings from outside until two agree */

struct thread {
	pid_t tid;
	struct proc_stat stat;
	struct outside_stack *sampled; /* NULL: no tick met it */
};

struct look {
	struct watcher watcher; /* first: a watcher is its look */
	struct sampler *sampler;
	struct process *process;
	struct call *call;
	sd_event_source *timer;
	size_t thread_count;
	struct thread *threads;
};

static void look_free(struct look *l)
{
	sampler_unwatch(l->sampler, &l->watcher);
	sd_event_source_disable_unref(l->timer);
	process_unref(l->process);
	for (size_t i = 0; i < l->thread_count; i++)
		free(l->threads[i].sampled);
	free(l->threads);
	free(l);
}

/* Keeps the newest sample of each thread. */
static void on_sample(struct watcher *w, struct process *p, const struct sp_sample *sample)
{
	struct look *l = (struct look *)w;
	struct thread *t = l->threads;
	struct thread *end = t + l->thread_count;

	if (p != l->process)
		return;
	while (t < end && t->tid != (pid_t)sample->head.tid)
		t++;
	if (t == end)
		return;
	if (!t->sampled)
		t->sampled = calloc(1, sizeof(*t->sampled));
	if (!t->sampled)
		return;
	t->sampled->ident = sample->ident;
	t->sampled->end = sample->end;
	t->sampled->frame_count = sample->frame_count;
	memcpy(t->sampled->frames, sample->frames, sample->frame_count * sizeof(sample->frames[0]));
}

static const char *state_name(char state)
{
	switch (state) {
	case 'R':
		return "running";
	case 'S':
	case 'I':
		return "sleeping";
	case 'D':
		return "waiting";
	case 'T':
	case 't':
		return "stopped";
	default:
		return "ended";
	}
}

static json_t *json_text(const char *text, size_t len)
{
	__attribute__((cleanup(buffer_cleanup))) struct buffer valid = { 0 };

	utf8_repair(&valid, text, len);
	return json_stringn(valid.data ? valid.data : "", valid.len);
}

static json_t *json_frame(const struct frame_name *name)
{
	return json_pack("{ss ss si si ss}", "function", name->function, "file", name->file, "line",
			 name->line, "first_line", name->first_line, "kind",
			 profile_kind_name(name->kind));
}

static json_t *json_frames(struct process *p, const struct outside_stack *stack)
{
	json_t *frames = json_array();
	struct frame_name name;

	for (uint32_t i = 0; i < stack->frame_count; i++) {
		name = frame_name_of(p, &stack->frames[i]);
		json_array_append_new(frames, json_frame(&name));
	}
	if (frame_name_of_end(stack->end, stack->frame_count, &name))
		json_array_append_new(frames, json_frame(&name));
	return frames;
}

/*
 * A thread that no tick met is read from outside: it slept, or waited for a processor.
 * NULL when it has ended meanwhile.
 */
static json_t *json_thread(struct look *l, const struct thread *t)
{
	const struct outside_stack *stack = t->sampled;
	struct outside_stack outside = { .end = SP_END_STARTING };
	const char *how = "sampled";

	if (!stack) {
		int err = 0;

		how = "outside";
		stack = &outside;
		if (l->process->has_interpreter)
			err = outside_read_agreed(l->process->pid, t->tid, &l->process->interpreter,
						  TRIES, &outside);
		if (err == -ESRCH)
			return NULL;
		if (err)
			outside = (struct outside_stack){ .end = SP_END_FAULT };
	}
	return json_pack("{si so ss ss sI so}", "tid", t->tid, "name",
			 json_text(t->stat.comm, strlen(t->stat.comm)), "state",
			 state_name(t->sampled ? 'R' : t->stat.state), "read", how, "ident",
			 (json_int_t)stack->ident, "frames", json_frames(l->process, stack));
}

static void answer(struct look *l)
{
	struct process *p = l->process;
	json_t *threads = json_array();
	char version[16] = "";

	if (p->has_interpreter)
		pylayout_version_text(p->interpreter.layout.version, version);
	for (size_t i = 0; i < l->thread_count; i++) {
		json_t *thread = json_thread(l, &l->threads[i]);

		if (thread)
			json_array_append_new(threads, thread);
	}
	l->call->json = json_pack("{si ss ss so}", "pid", p->pid, "name", p->name, "python",
				  version, "threads", threads);
	if (!l->call->json)
		call_fail(l->call, SPPROF_EXIT_FAILED, "out of memory");
	call_return(l->call);
	look_free(l);
}

static int on_time(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct look *l = userdata;

	(void)source;
	(void)usec;
	sampler_drain(l->sampler);
	answer(l);
	return 0;
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
		struct thread *t = &l->threads[l->thread_count];

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

/* Waits for three ticks if a thread runs; else everything can be read at once. */
static int start(struct look *l)
{
	int err = find_threads(l);

	if (err || !has_running(l))
		return err;
	err = sampler_watch(l->sampler, &l->watcher);
	if (err)
		return err;
	return sd_event_add_time_relative(sampler_loop(l->sampler), &l->timer, CLOCK_MONOTONIC,
					  WAIT_US, 500, on_time, l);
}

void stacks_read(struct call *c, struct sampler *s)
{
	struct process *p = call_process(c, s, c->pid);
	struct look *l;
	int err;

	if (!p)
		return call_return(c);
	l = calloc(1, sizeof(*l));
	if (!l) {
		call_fail(c, SPPROF_EXIT_FAILED, "out of memory");
		return call_return(c);
	}
	*l = (struct look){ .watcher = { .hz = SAMPLE_HZ, .on_sample = on_sample },
			    .sampler = s,
			    .process = process_ref(p),
			    .call = c };
	err = start(l);
	if (err < 0) {
		call_fail(c, err == -ESRCH ? SPPROF_EXIT_NO_TARGET : SPPROF_EXIT_FAILED,
			  "cannot look at process %d: %s", c->pid, strerror(-err));
		call_return(c);
		look_free(l);
	} else if (!l->timer) {
		answer(l);
	}
}
