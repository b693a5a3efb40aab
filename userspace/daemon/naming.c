/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/naming.h"

#include "base/clock.h"
#include "resolve/target_memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOST_TRIES 4		    /* of one reading: Python goes on meanwhile */
#define LEAST_PAUSE_NS 100000000ull /* between two readings of a process */
#define PAUSE_OF_COST 250	    /* times what the last one took: 0.4 % of a processor at most */
#define DEAR_PAUSE_NS 2500000000ull /* after a reading of 10 ms: answers wait for it, too */
#define MOST_WAIT_NS 10000000000ull /* until a thread's name is looked up again */

static bool is_too_dear(const struct process *p)
{
	return p->names_due_ns - p->names_ns > DEAR_PAUSE_NS && monotonic_ns() < p->names_due_ns;
}

/* What has changed while it was read is another one at once. */
static void read_names(struct thread_names *names, const struct target_reader *memory)
{
	int err = -EBADMSG;

	for (int i = 0; i < MOST_TRIES && (err == -EBADMSG || err == -EFAULT); i++)
		err = thread_names_read(names, memory);
}

bool naming_read(struct process *p)
{
	struct target_reader memory = target_reader_of(&p->pid);
	uint64_t before, pause;

	if (!p->has_interpreter || p->ended_ns || is_too_dear(p))
		return false;
	if (!p->names)
		p->names = thread_names_new(p->interpreter.runtime, &p->interpreter.layout);
	if (!p->names)
		return false;
	p->names_ns = monotonic_ns();
	before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	read_names(p->names, &memory);
	pause = (clock_ns(CLOCK_THREAD_CPUTIME_ID) - before) * PAUSE_OF_COST;
	p->names_due_ns = p->names_ns + (pause > LEAST_PAUSE_NS ? pause : LEAST_PAUSE_NS);
	return true;
}

static bool is_alive(pid_t pid, pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d", pid, tid);
	return !access(path, F_OK);
}

const char *naming_find(const struct process *p, pid_t tid, uint64_t ident)
{
	const char *name = p->names && ident ? thread_names_find(p->names, ident) : NULL;

	return name && is_alive(p->pid, tid) ? name : NULL;
}

void naming_begin(struct thread *t, uint64_t ident, uint64_t time_ns)
{
	free(t->name);
	t->name = NULL;
	t->ident = ident;
	t->name_since_ns = time_ns;
	t->name_due_ns = t->name_wait_ns = 0;
}

static void take(struct thread *t, const char *name)
{
	char *copy;

	if (!name || (t->name && !strcmp(t->name, name)))
		return;
	copy = strdup(name);
	if (!copy)
		return;
	free(t->name);
	t->name = copy;
}

static bool can_learn(const struct thread *t)
{
	return t->process->has_interpreter && !t->process->ended_ns && t->ident;
}

/* Whether its process's names were read since it was met, or looked up last. */
static bool is_known_now(const struct thread *t)
{
	return t->process->names_ns > t->name_since_ns;
}

static void look_up(struct thread *t, uint64_t now)
{
	take(t, naming_find(t->process, t->tid, t->ident));
	t->name_since_ns = now;
	t->name_wait_ns = t->name_wait_ns ? t->name_wait_ns * 2 : LEAST_PAUSE_NS;
	if (t->name_wait_ns > MOST_WAIT_NS)
		t->name_wait_ns = MOST_WAIT_NS;
	t->name_due_ns = now + t->name_wait_ns;
}

void naming_learn(struct thread *t)
{
	struct process *p = t->process;
	uint64_t now = monotonic_ns();

	if (!can_learn(t))
		return;
	if (!is_known_now(t) && now >= p->names_due_ns)
		(void)naming_read(p);
	if (is_known_now(t))
		look_up(t, now);
	else
		t->name_due_ns = p->names_due_ns;
}

void naming_learn_now(struct thread *t)
{
	if (!can_learn(t))
		return;
	if (is_known_now(t) || naming_read(t->process))
		look_up(t, monotonic_ns());
}
