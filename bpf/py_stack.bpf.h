/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The Python stack of the thread that runs, into the scratch's sample: py_walk.bpf.h with BPF's
 * functions around it. For a clock's tick and for an allocator's probes alike.
 */
#ifndef SPPROF_PY_STACK_BPF_H
#define SPPROF_PY_STACK_BPF_H

#include "py_names.bpf.h"

static __always_inline const struct sp_pylayout *layout_of(__u32 number)
{
	return bpf_map_lookup_elem(&layouts, &number);
}

/* Where every thread keeps its thread state: its pthread value under autoTSSkey. */
static __always_inline __s32 find_slot(const struct sp_target *target, const struct sp_pylayout *at)
{
	struct {
		__u32 is_initialized;
		__u32 key;
	} tss; /* Py_tss_t */

	if (at->runtime_autotsskey == SP_NO_KEY ||
	    sp_read_target(&tss, sizeof(tss), target->runtime + at->runtime_autotsskey))
		return 0;
	if (!tss.is_initialized || tss.key >= SP_TSD_KEYS)
		return 0;
	return SP_TSD_BASE + tss.key * SP_TSD_STRIDE + SP_TSD_DATA;
}

/* The running thread's thread state; 0 if it has none that we know of. */
static __always_inline __u64 find_tstate(struct sp_target *target, const struct sp_pylayout *at,
					 __u64 thread_pointer)
{
	__u64 tstate = 0;

	if (!target->slot[0])
		target->slot[0] = find_slot(target, at);
	if (!target->slot[0] ||
	    sp_read_target(&tstate, sizeof(tstate), thread_pointer + target->slot[0]))
		return 0;
	if (!tstate && target->slot[1])
		sp_read_target(&tstate, sizeof(tstate), thread_pointer + target->slot[1]);
	return tstate;
}

/* The following are those of py_walk.bpf.h, for the process in the scratch. */

__noinline __u64 fetch_frame(__u64 frame)
{
	struct scratch *s = this_scratch();
	const struct sp_pylayout *at = s ? layout_of(s->target.layout) : NULL;

	return at ? sp_fetch_frame(at, &s->walk, frame) : SP_NOWHERE;
}

__noinline __u64 read_key(__u64 code, __u32 n)
{
	struct scratch *s = this_scratch();
	const struct sp_pylayout *at = s ? layout_of(s->target.layout) : NULL;

	return at ? sp_read_key(at, code, n, &s->walk.keys) : 0;
}

__noinline __u64 read_copy(__u64 code, __u32 index)
{
	struct scratch *s = this_scratch();
	const struct sp_pylayout *at = s ? layout_of(s->target.layout) : NULL;

	return at ? sp_read_copy(at, code, index, &s->walk.keys) : 0;
}

#define STEPS_A_CALL 4

/* Some steps of sp_walk_steps(). 1: the walk is over. */
__noinline int walk_some(__u32 layout)
{
	const struct sp_pylayout *at = bpf_map_lookup_elem(&layouts, &layout);
	struct scratch *s = this_scratch();

	if (!s || !at)
		return 1;
	for (__u32 i = 0; i < STEPS_A_CALL; i++)
		if (sp_walk_step(at, &s->walk, sample_in(s)))
			return 1;
	return 0;
}

/* As sp_walk_steps(). */
__noinline int walk_steps(__u32 layout)
{
	struct scratch *s = this_scratch();

	for (__u32 i = 0; i < SP_WALK_STEPS; i += STEPS_A_CALL)
		if (i >= SP_STEPS_A_FRAME * cfg_stack_depth)
			break;
		else if (walk_some(layout))
			return 0;
	if (s)
		sample_in(s)->end = SP_END_DEPTH;
	return 0;
}

/* Reads the thread state at @tstate: true if it is the running thread's. */
static __always_inline int read_state(const struct sp_pylayout *at, __u64 tstate,
				      __u64 stack_pointer, __u64 thread_pointer, struct sp_walk *w,
				      struct sp_thread *out)
{
	if (!tstate || sp_read_thread(at, tstate, w, out))
		return 0;
	out->stack_pointer = stack_pointer;
	return sp_is_running(out, thread_pointer);
}

/* The state of whoever has the GIL: of a subinterpreter, where the thread runs in one. */
static __always_inline __u64 find_current(const struct sp_target *target,
					  const struct sp_pylayout *at)
{
	__u64 tstate = 0;

	if (at->runtime_tstate_current)
		sp_read_target(&tstate, sizeof(tstate),
			       target->runtime + at->runtime_tstate_current);
	return tstate;
}

/*
 * The newest state of the newest subinterpreter, if there are any. A thread that has let go of
 * the GIL runs there if it has a frame there: up to 3.11 its own value stays its first state.
 */
static __always_inline __u64 find_newest(const struct sp_target *target,
					 const struct sp_pylayout *at)
{
	__u64 interps[2] = { 0 }, tstate = 0; /* head, main */

	if (!at->runtime_tstate_current ||
	    sp_read_target(interps, sizeof(interps),
			   target->runtime + at->runtime_interpreters_head) ||
	    interps[0] == interps[1])
		return 0;
	sp_read_target(&tstate, sizeof(tstate), interps[0] + at->interp_threads_head);
	return tstate;
}

/* Finds the running thread's state and reads it: 0; 1: what was found is another's. */
static __always_inline int read_running(struct scratch *s, const struct sp_pylayout *at,
					__u64 stack_pointer, __u64 thread_pointer,
					struct sp_thread *out)
{
	if (read_state(at, find_current(&s->target, at), stack_pointer, thread_pointer, &s->walk,
		       out))
		return 0;
	if (read_state(at, find_newest(&s->target, at), stack_pointer, thread_pointer, &s->walk,
		       out) &&
	    out->frame)
		return 0;
	return !read_state(at, find_tstate(&s->target, at, thread_pointer), stack_pointer,
			   thread_pointer, &s->walk, out);
}

/* Puts the running thread's stack into the scratch's sample. */
__noinline int walk_target(__u32 layout, __u64 stack_pointer)
{
	const struct sp_pylayout *at = bpf_map_lookup_elem(&layouts, &layout);
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 thread_pointer = BPF_CORE_READ(task, thread.fsbase);
	struct scratch *s = this_scratch();
	struct sp_thread thread = { 0 };
	struct sp_sample *sample;

	if (!s || !at)
		return 0;
	sample = sample_in(s);
	sample->end = SP_END_NO_THREAD;
	if (read_running(s, at, stack_pointer, thread_pointer, &thread)) {
		if (thread.tstate && at->runtime_autotsskey != SP_NO_KEY)
			s->target.slot[0] = 0; /* Python was started anew, with another key */
		return 0;
	}
	thread.ident = thread_pointer;
	sample->ident = thread.ident;
	sp_walk_begin(&thread, cfg_stack_depth, s->target.epoch, sp_generation(at, thread.interp),
		      &s->walk, sample);
	s->walk.keys.copies_generation =
		sp_copies_generation(at, thread.interp, s->walk.keys.generation);
	walk_steps(layout);
	if (sp_walk_again(&s->walk, sample))
		walk_steps(layout);
	sp_walk_end(&thread, &s->walk, sample);
	return s->walk.window_faults;
}

#endif
