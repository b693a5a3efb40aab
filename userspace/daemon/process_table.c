/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/process_table.h"

#include "base/clock.h"
#include "base/procfs.h"
#include "daemon/process_look.h"

#include <unistd.h>

#define BUCKETS 4096
#define FORGET_NS 2000000000ull	     /* after its end, when the last records have come */
#define QUIET_KEPT_NS 30000000000ull /* what was no Python, from its last look on */
#define CENSUS_NS 10000000000ull     /* between two looks for ends that no record told */

struct process_table {
	struct looker looker;
	pid_t own_pid;
	struct process *buckets[BUCKETS];
	uint64_t next_census_ns;
	uint64_t due_ns; /* nothing is before that */
};

struct process_table *process_table_new(struct collector *c)
{
	OWNS(process_table) struct process_table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->own_pid = getpid();
	t->looker = (struct looker){
		.collector = c,
		.files = file_memory_new(),
		.programs = program_memory_new(),
	};
	return t->looker.files && t->looker.programs ? TAKE(t) : NULL;
}

void process_table_free(struct process_table *t)
{
	if (!t)
		return;
	for (unsigned int i = 0; i < BUCKETS; i++)
		for (struct process *p = t->buckets[i], *next; p; p = next) {
			next = p->next;
			process_unref(p);
		}
	program_memory_free(t->looker.programs);
	file_memory_free(t->looker.files);
	free(t);
}

static struct process **bucket_of(struct process_table *t, pid_t pid)
{
	return &t->buckets[(uint32_t)pid & (BUCKETS - 1)];
}

/* The image that runs under @pid now, or NULL. */
static struct process *find_running(struct process_table *t, pid_t pid)
{
	struct process *p = *bucket_of(t, pid);

	while (p && (p->pid != pid || p->ended_ns))
		p = p->next;
	return p;
}

static struct process *add(struct process_table *t, pid_t pid)
{
	struct process *p = process_new(pid);

	if (!p)
		return NULL;
	if (process_identify(p)) {
		process_unref(p);
		return NULL;
	}
	p->next = *bucket_of(t, pid);
	*bucket_of(t, pid) = p;
	return p;
}

static void end(struct process *p)
{
	p->ended_ns = monotonic_ns();
	p->next_look_ns = 0;
	thread_names_free(TAKE(p->names)); /* those that were sampled have theirs */
}

static void note_due(struct process_table *t, const struct process *p)
{
	if (p->next_look_ns && p->next_look_ns < t->due_ns)
		t->due_ns = p->next_look_ns;
}

static void look_at(struct process_table *t, struct process *p)
{
	if (process_look(&t->looker, p))
		end(p);
	note_due(t, p);
}

/* Ends it if its end was not told: the ring was full, or it was not followed. */
static void check_alive(struct process_table *t, struct process *p)
{
	struct proc_stat now;

	if (p->ended_ns || (!proc_stat_read(p->pid, 0, &now) && now.start_ticks == p->start_ticks))
		return;
	process_unfollow(&t->looker, p);
	end(p);
}

struct process *process_table_look(struct process_table *t, pid_t pid)
{
	struct process *p = find_running(t, pid);

	if (p)
		check_alive(t, p);
	if (!p || p->ended_ns)
		p = add(t, pid);
	if (p && p->state != PROCESS_READY) {
		p->looks = 0;
		look_at(t, p);
	}
	return p && !p->ended_ns ? p : NULL;
}

struct process *process_table_await(struct process_table *t, pid_t pid)
{
	struct process *p = process_table_look(t, pid);

	if (p && p->state == PROCESS_UNKNOWN)
		process_await(&t->looker, p);
	if (p)
		note_due(t, p);
	return p;
}

void process_table_release(struct process_table *t, pid_t pid)
{
	struct process *p = find_running(t, pid);

	if (!p || !p->is_awaited)
		return;
	p->is_awaited = false;
	if (p->state == PROCESS_STARTING)
		look_at(t, p);
}

struct process *process_table_find(struct process_table *t, pid_t pid, uint32_t epoch)
{
	struct process *p = *bucket_of(t, pid);

	while (p && (p->pid != pid || p->epoch != epoch))
		p = p->next;
	return p;
}

struct process *process_table_newest(struct process_table *t, pid_t pid)
{
	struct process *p = *bucket_of(t, pid);

	while (p && (p->pid != pid || p->state == PROCESS_UNKNOWN))
		p = p->next;
	return p;
}

static void take_census(struct process_table *t)
{
	for (unsigned int i = 0; i < BUCKETS; i++)
		for (struct process *p = t->buckets[i]; p; p = p->next)
			check_alive(t, p);
}

/* What is there already, and waits for nothing, will not become a Python the next moment. */
static void look_at_old(struct process_table *t, pid_t pid)
{
	struct process *p = add(t, pid);

	if (!p)
		return;
	process_look_seldom(p);
	look_at(t, p);
}

static int scan_one(pid_t pid, void *ctx)
{
	struct process_table *t = ctx;
	struct process *p = find_running(t, pid);

	if (pid == t->own_pid)
		return 0;
	if (!p)
		look_at_old(t, pid);
	else if (p->state == PROCESS_UNKNOWN)
		look_at(t, p);
	else if (p->state != PROCESS_READY)
		process_table_look(t, pid);
	return 0;
}

int process_table_scan(struct process_table *t)
{
	take_census(t);
	return proc_each_process(scan_one, t);
}

static void after_fork(struct process_table *t, const struct sp_process *event)
{
	struct process *parent = find_running(t, event->parent);
	struct process *child = parent ? add(t, event->head.pid) : NULL;

	if (!child)
		return;
	child->epoch = event->epoch;
	child->is_followed = true;
	child->state = parent->state;
	child->is_awaited = parent->is_awaited;
	child->interpreter = parent->interpreter;
	child->has_interpreter = parent->has_interpreter;
	if (parent->has_interpreter)
		(void)process_take_layout(child, &parent->interpreter.layout);
	else
		process_look_later(child);
	note_due(t, child);
}

static void after_exec(struct process_table *t, const struct sp_process *event)
{
	struct process *before = find_running(t, event->head.pid);
	bool was_awaited = before && before->is_awaited;
	const struct sp_pylayout *at;
	struct sp_target target;
	struct process *p;

	if (before)
		end(before);
	p = add(t, event->head.pid);
	if (!p)
		return;
	p->epoch = event->epoch;
	p->is_followed = p->epoch != 0;
	p->is_awaited = was_awaited;
	if (p->epoch && !collector_target(t->looker.collector, p->pid, &target) &&
	    target.epoch == p->epoch) {
		at = collector_layout(t->looker.collector, target.layout);
		p->state = PROCESS_STARTING;
		if (at)
			(void)process_take_layout(p, at);
	}
	process_expect(&t->looker, p);
	note_due(t, p);
}

static void after_exit(struct process_table *t, const struct sp_process *event)
{
	struct process *p = process_table_find(t, event->head.pid, event->epoch);

	if (p)
		end(p);
}

/* Something unknown uses the processor: it may have become a Python since we looked. */
static void after_sighting(struct process_table *t, const struct sp_process *event)
{
	struct process *p = find_running(t, event->head.pid);

	if ((pid_t)event->head.pid == t->own_pid)
		return; /* each look would be a reason for the next one */
	if (!p)
		look_at_old(t, event->head.pid);
	else if (p->state == PROCESS_UNKNOWN && !p->next_look_ns &&
		 p->quiet_until_ns <= monotonic_ns())
		look_at(t, p);
}

void process_table_on_event(struct process_table *t, const struct sp_process *event)
{
	switch (event->head.kind) {
	case SP_EVENT_FORK:
		return after_fork(t, event);
	case SP_EVENT_EXEC:
		return after_exec(t, event);
	case SP_EVENT_EXIT:
		return after_exit(t, event);
	case SP_EVENT_SEEN:
		return after_sighting(t, event);
	}
}

/* Whether nothing is left to know or to wait for. */
static bool is_done_with(const struct process *p, uint64_t now_ns)
{
	if (p->ended_ns)
		return now_ns - p->ended_ns > FORGET_NS;
	return p->state == PROCESS_UNKNOWN && !p->next_look_ns && !p->is_awaited &&
	       now_ns > p->quiet_until_ns + QUIET_KEPT_NS;
}

static void tend_one(struct process_table *t, struct process *p, uint64_t now_ns)
{
	if (p->next_look_ns && p->next_look_ns <= now_ns && !p->ended_ns)
		look_at(t, p);
}

uint64_t process_table_tend(struct process_table *t, uint64_t now_ns)
{
	uint64_t due;

	if (now_ns < t->due_ns)
		return t->due_ns;
	if (t->next_census_ns <= now_ns) {
		take_census(t);
		t->next_census_ns = now_ns + CENSUS_NS;
	}
	due = t->next_census_ns;
	for (unsigned int i = 0; i < BUCKETS; i++)
		for (struct process **at = &t->buckets[i], *p; (p = *at);) {
			tend_one(t, p, now_ns);
			if (is_done_with(p, now_ns)) {
				*at = p->next;
				process_unref(p);
				continue;
			}
			if (p->next_look_ns && p->next_look_ns < due)
				due = p->next_look_ns;
			if (p->ended_ns && p->ended_ns + FORGET_NS < due)
				due = p->ended_ns + FORGET_NS + 1;
			at = &p->next;
		}
	t->due_ns = due;
	return due;
}

void process_table_each(struct process_table *t, void (*each)(struct process *p, void *ctx),
			void *ctx)
{
	for (unsigned int i = 0; i < BUCKETS; i++)
		for (struct process *p = t->buckets[i]; p; p = p->next)
			if (!p->ended_ns && p->state != PROCESS_UNKNOWN)
				each(p, ctx);
}
