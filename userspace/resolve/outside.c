/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's walk, from outside: see bpf/py_walk.bpf.h. */
#include "resolve/outside.h"

#include "base/procfs.h"
#include "resolve/walk_target.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define MOST_THREADS 65536
#define MOST_TIDS 4096

/* Whether some thread of @pid has that number in its own PID namespace. */
static bool is_live(pid_t pid, uint64_t native_id)
{
	OWNS_MEM pid_t *tids = malloc(MOST_TIDS * sizeof(*tids));
	ssize_t count = tids ? proc_threads(pid, tids, MOST_TIDS) : 0;
	pid_t inner;

	for (ssize_t i = 0; i < count; i++)
		if (!proc_inner_tid(pid, tids[i], &inner) && (uint64_t)inner == native_id)
			return true;
	return false;
}

struct wanted {
	pid_t pid, tid;
	uint64_t native_id; /* @tid as the process itself numbers it */
};

/*
 * Finds the thread in @interp's list whose native id is the wanted one.
 *
 * os.fork() renews that number in the child, a fork() in C does not: but if the list
 * holds one thread only, and its number is nobody's, it is the child's main thread.
 */
static bool find_in_list(const struct sp_pylayout *at, uint64_t interp, const struct wanted *wanted,
			 struct sp_walk *w, struct sp_thread *out)
{
	uint64_t tstate = 0;
	size_t i;

	if (sp_read_target(&tstate, sizeof(tstate), interp + at->interp_threads_head))
		return false;
	for (i = 0; tstate && i < MOST_THREADS; i++) {
		if (sp_read_thread(at, tstate, w, out))
			return false;
		out->native_id = native_id_of(at, out);
		if (out->native_id == wanted->native_id)
			return true;
		tstate = sp_tstate_field(w, at->tstate_next);
	}
	return i == 1 && wanted->pid == wanted->tid && !is_live(wanted->pid, out->native_id);
}

/* Looks in the main interpreter and the newest: the layout has no way to the others. */
static bool find_thread(const struct interpreter *in, const struct wanted *wanted,
			struct sp_walk *w, struct sp_thread *out)
{
	uint64_t interps[2] = { 0 }; /* head, main */

	if (sp_read_target(interps, sizeof(interps),
			   in->runtime + in->layout.runtime_interpreters_head))
		return false;
	for (int i = 1; i >= 0; i--) {
		if (!interps[i] || (!i && interps[0] == interps[1]))
			continue;
		*out = (struct sp_thread){ 0 };
		if (find_in_list(&in->layout, interps[i], wanted, w, out))
			return true;
	}
	return false;
}

/*
 * The thread on whose C stack @address lies: its thread_id, which glibc has where that stack
 * ends. 0: that of none in @interp's list, so the main thread's, whose stack is above them all.
 */
static uint64_t owner_of(const struct sp_pylayout *at, uint64_t interp, uint64_t address,
			 struct sp_walk *w)
{
	uint64_t tstate = 0, owner = 0;
	struct sp_thread t;

	if (sp_read_target(&tstate, sizeof(tstate), interp + at->interp_threads_head))
		return 0;
	for (size_t i = 0; tstate && i < MOST_THREADS; i++) {
		if (sp_read_thread(at, tstate, w, &t))
			return 0;
		if (t.ident > address && (!owner || t.ident < owner))
			owner = t.ident;
		tstate = sp_tstate_field(w, at->tstate_next);
	}
	return owner;
}

/*
 * Up to 3.11 the pthread-specific value stays the state that a thread had first. Where it runs
 * in another interpreter, the newest is tried: if it has the GIL, gilstate says so; if it sleeps,
 * on 3.11 a _PyCFrame on its C stack does, and up to 3.10 that it has a frame there.
 */
static void prefer_newest(const struct interpreter *in, const struct wanted *wanted,
			  struct sp_walk *w, struct sp_thread *t)
{
	const struct sp_pylayout *at = &in->layout;
	uint64_t interps[2], tstate, current; /* head, main */
	struct sp_thread other;

	if (sp_read_target(interps, sizeof(interps), in->runtime + at->runtime_interpreters_head) ||
	    interps[0] == interps[1] ||
	    sp_read_target(&current, sizeof(current), in->runtime + at->runtime_tstate_current) ||
	    sp_read_target(&tstate, sizeof(tstate), interps[0] + at->interp_threads_head))
		return;
	for (size_t i = 0; tstate && i < MOST_THREADS; i++) {
		uint64_t owner;

		if (sp_read_thread(at, tstate, w, &other))
			return;
		tstate = sp_tstate_field(w, at->tstate_next);
		owner = other.cframe ? owner_of(at, interps[1], other.cframe, w) : 0;
		if ((other.cframe &&
		     (owner == t->ident || (!owner && wanted->pid == wanted->tid))) ||
		    (other.ident == t->ident &&
		     (other.tstate == current ||
		      (at->tstate_cframe == SP_NO_FIELD && other.frame)))) {
			other.ident = t->ident;
			*t = other;
			return;
		}
	}
}

/* What the thread @ident keeps for Python, in the order of the kernel side; 0: nothing. */
static uint64_t own_state(const struct interpreter *in, uint64_t ident)
{
	uint64_t tstate = 0;
	uint32_t tss[2]; /* Py_tss_t */

	if (in->layout.runtime_autotsskey == SP_NO_KEY) {
		for (int i = 0; i < 2 && !tstate; i++)
			if (in->slots[i])
				sp_read_target(&tstate, sizeof(tstate), ident + in->slots[i]);
		return tstate;
	}
	if (!sp_read_target(tss, sizeof(tss), in->runtime + in->layout.runtime_autotsskey) &&
	    tss[0] == 1 && tss[1] < SP_TSD_KEYS)
		sp_read_target(&tstate, sizeof(tstate),
			       ident + SP_TSD_BASE + tss[1] * SP_TSD_STRIDE + SP_TSD_DATA);
	return tstate;
}

/*
 * A thread that has a state in each of several interpreters runs in the one whose state
 * is its pthread-specific value or thread-local variable, where the kernel side looks, too.
 */
static void prefer_current(const struct interpreter *in, const struct wanted *wanted,
			   struct sp_walk *w, struct sp_thread *t)
{
	struct sp_thread current;
	uint64_t tstate;

	if (in->layout.runtime_tstate_current) {
		prefer_newest(in, wanted, w, t);
		return;
	}
	tstate = own_state(in, t->ident);
	if (!tstate || tstate == t->tstate || sp_read_thread(&in->layout, tstate, w, &current))
		return;
	/* Up to 3.12 another interpreter's state has the id of the thread that made it. */
	if (current.ident != t->ident && current.interp == t->interp)
		return;
	current.ident = t->ident;
	*t = current;
}

struct outside_stack *outside_stack_new(uint32_t depth)
{
	struct outside_stack *stack = malloc(sizeof(*stack) + depth * sizeof(stack->frames[0]));

	if (stack)
		*stack = (struct outside_stack){ .end = SP_END_NO_THREAD, .depth = depth };
	return stack;
}

int outside_read(pid_t pid, pid_t tid, const struct interpreter *in, struct outside_stack *out)
{
	struct wanted wanted = { .pid = pid, .tid = tid };
	OWNS_MEM struct sp_sample *sample =
		malloc(sizeof(*sample) + out->depth * sizeof(sample->frames[0]));
	struct sp_thread thread;
	struct sp_walk w;
	pid_t inner;
	int err = proc_inner_tid(pid, tid, &inner);

	if (err || !sample)
		return err ? err : -ENOMEM;
	wanted.native_id = inner;
	walk_from(target_reader_of(&pid));
	out->ident = 0;
	out->end = SP_END_NO_THREAD;
	out->frame_count = 0;
	if (!find_thread(in, &wanted, &w, &thread))
		return walk_error();
	prefer_current(in, &wanted, &w, &thread);
	sp_walk_python(&in->layout, &thread, out->depth, &w, sample);
	err = walk_error();
	if (err)
		return err;
	out->ident = thread.ident;
	out->end = sample->end;
	out->frame_count = sample->frame_count;
	memcpy(out->frames, sample->frames, out->frame_count * sizeof(*out->frames));
	return 0;
}

static bool agree(const struct outside_stack *a, const struct outside_stack *b)
{
	return a->ident == b->ident && a->end == b->end && a->frame_count == b->frame_count &&
	       !memcmp(a->frames, b->frames, a->frame_count * sizeof(*a->frames));
}

static void copy(struct outside_stack *to, const struct outside_stack *from)
{
	to->ident = from->ident;
	to->end = from->end;
	to->frame_count = from->frame_count;
	memcpy(to->frames, from->frames, from->frame_count * sizeof(*from->frames));
}

int outside_read_agreed(pid_t pid, pid_t tid, const struct interpreter *in, int tries,
			struct outside_stack *out)
{
	OWNS_MEM struct outside_stack *last = outside_stack_new(out->depth);

	if (!last)
		return -ENOMEM;
	for (int i = 0; i < tries; i++) {
		int err = outside_read(pid, tid, in, out);

		if (err)
			return err;
		if (i && agree(last, out))
			return 0;
		copy(last, out);
	}
	return -EAGAIN;
}
