/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/process_look.h"

#include "base/clock.h"
#include "base/log.h"

#include <errno.h>
#include <string.h>

/*
 * How long to wait before each further look, in milliseconds: a program maps its libpython
 * after it was execed, and runs its first frame later still. Often while something waits
 * for it: until then its samples have no stack.
 */
static const uint16_t often_ms[] = { 1,	 2,  5,	 5,  5,	 5,  5,	 5,  5,	  5,   5,   5,	 5,   5,
				     10, 10, 10, 20, 20, 50, 50, 50, 100, 100, 200, 500, 1000 };
static const uint16_t seldom_ms[] = { 1, 5, 20, 100, 1000 };

/* Between looks at what uses the processor and was no Python: doubles each time. */
#define QUIET_LEAST_NS 100000000ull
#define QUIET_MOST_NS 12800000000ull
#define QUIET_DOUBLED_DULL 4 /* times, from the exec of a program that never was one */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

void process_unfollow(struct looker *l, struct process *p)
{
	if (p->is_followed)
		collector_unfollow(l->collector, p->pid);
	p->is_followed = false;
}

/* From now on records name @p, with @layout or, SP_LAYOUT_NONE, without a stack. */
static int follow(struct looker *l, struct process *p, uint32_t layout)
{
	struct sp_target target = { .layout = layout };

	if (!p->epoch)
		p->epoch = collector_new_epoch();
	target.epoch = p->epoch;
	target.runtime = p->interpreter.runtime;
	memcpy(target.slot, p->interpreter.slots, sizeof(target.slot));
	p->is_followed = true;
	return collector_follow(l->collector, p->pid, &target);
}

int process_take_layout(struct process *p, const struct sp_pylayout *at)
{
	if (!p->codes)
		p->codes = code_table_new(p->pid, at);
	return p->codes ? 0 : -ENOMEM;
}

static uint64_t quiet_ns(unsigned int times)
{
	uint64_t quiet = QUIET_LEAST_NS;

	while (times-- && quiet < QUIET_MOST_NS)
		quiet *= 2;
	return quiet;
}

void process_look_later(struct process *p)
{
	bool is_due_soon = p->is_awaited || p->state == PROCESS_STARTING;
	const uint16_t *delays = is_due_soon ? often_ms : seldom_ms;
	unsigned int count = is_due_soon ? COUNT(often_ms) : COUNT(seldom_ms);

	/* A Python will start: it is worth to keep looking. */
	if (p->state == PROCESS_STARTING && p->looks >= count)
		p->looks = count - 1;
	p->next_look_ns = p->looks < count ? monotonic_ns() + delays[p->looks] * 1000000ull : 0;
	if (!p->next_look_ns)
		p->quiet_until_ns = monotonic_ns() + quiet_ns(p->looks - count);
	p->looks++;
}

void process_look_seldom(struct process *p)
{
	if (p->looks < COUNT(seldom_ms))
		p->looks = COUNT(seldom_ms);
}

void process_expect(struct looker *l, struct process *p)
{
	p->program = program_id_of(p->pid);
	if (p->state == PROCESS_UNKNOWN && !p->is_awaited &&
	    program_memory_is_dull(l->programs, &p->program))
		p->looks = COUNT(seldom_ms) + QUIET_DOUBLED_DULL;
	process_look_later(p);
}

static void tell_refusal(const struct process *p)
{
	char pid[32], comm[80], reason[256];
	const char *const fields[] = { pid, comm, reason, NULL };

	snprintf(pid, sizeof(pid), "SPPROF_PID=%d", p->pid);
	snprintf(comm, sizeof(comm), "SPPROF_COMM=%s", p->name);
	snprintf(reason, sizeof(reason), "SPPROF_REASON=%s", p->reason);
	log_event(LVL_INFO, fields, "process %d (%s) is not followed: %s", p->pid, p->name,
		  p->reason);
}

/*
 * Looked at again a few times, as what is starting can look wrong for a moment; then it
 * is said, once.
 */
static void refuse(struct looker *l, struct process *p, const char *why)
{
	process_unfollow(l, p);
	if (p->state != PROCESS_REFUSED)
		p->looks = 0;
	p->state = PROCESS_REFUSED;
	p->reason = why;
	if (p->looks == COUNT(seldom_ms))
		tell_refusal(p);
	process_look_later(p);
}

static void make_ready(struct looker *l, struct process *p)
{
	const struct interpreter *in = &p->interpreter;
	int layout = collector_add_layout(l->collector, &in->layout);

	if (layout < 0)
		return refuse(l, p, "too many different interpreters are running");
	if (process_take_layout(p, &in->layout) || follow(l, p, layout))
		return refuse(l, p, "too many processes are followed");
	if (in->is_executable) {
		struct sp_binary binary = { .runtime_offset = in->runtime_offset,
					    .layout = layout,
					    .slot = { in->slots[0], in->slots[1] } };

		(void)collector_add_binary(l->collector, &in->file, &binary);
	}
	p->has_interpreter = true;
	p->state = PROCESS_READY;
	p->next_look_ns = 0;
}

static void wait_for_start(struct looker *l, struct process *p)
{
	p->state = PROCESS_STARTING;
	if (!p->is_followed)
		(void)follow(l, p, SP_LAYOUT_NONE);
	process_look_later(p);
}

void process_await(struct looker *l, struct process *p)
{
	p->is_awaited = true;
	wait_for_start(l, p);
}

/* It is no Python, or not yet. What a Python execed was followed until now. */
static void let_go(struct looker *l, struct process *p)
{
	if (!p->is_awaited) {
		process_unfollow(l, p);
		p->state = PROCESS_UNKNOWN;
	}
	process_look_later(p);
}

static void learn(struct looker *l, struct process *p, int err)
{
	if (!p->program.inode)
		p->program = program_id_of(p->pid);
	if (err != -ESRCH)
		program_memory_learn(l->programs, &p->program,
				     !err || err == -EAGAIN || err == -ENOTSUP);
}

int process_look(struct looker *l, struct process *p)
{
	struct interpreter in = { 0 };
	const char *why = "";
	int err = interpreter_find(p->pid, l->files, &in, &why);

	p->is_hidden = err == -EPERM || err == -EACCES;
	learn(l, p, err);
	switch (err) {
	case 0:
		p->interpreter = in;
		make_ready(l, p);
		return 0;
	case -EAGAIN:
		wait_for_start(l, p);
		return 0;
	case -ENOTSUP:
		refuse(l, p, why);
		return 0;
	case -ESRCH:
		process_unfollow(l, p);
		return -ESRCH;
	default:
		let_go(l, p);
		return 0;
	}
}
