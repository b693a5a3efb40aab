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
 * Finds the thread in @interp's list whose native_thread_id is the wanted one.
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
 * A thread that has a state in each of several interpreters runs in the one whose state
 * is its pthread-specific value, which is also where the kernel side looks.
 */
static void prefer_current(const struct interpreter *in, struct sp_walk *w, struct sp_thread *t)
{
	struct sp_thread current;
	uint64_t tstate;
	uint32_t tss[2]; /* Py_tss_t */

	if (sp_read_target(tss, sizeof(tss), in->runtime + in->layout.runtime_autotsskey) ||
	    tss[0] != 1 || tss[1] >= SP_TSD_KEYS ||
	    sp_read_target(&tstate, sizeof(tstate),
			   t->ident + SP_TSD_BASE + tss[1] * SP_TSD_STRIDE + SP_TSD_DATA) ||
	    !tstate || tstate == t->tstate)
		return;
	if (!sp_read_thread(&in->layout, tstate, w, &current) && current.ident == t->ident)
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
	prefer_current(in, &w, &thread);
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
