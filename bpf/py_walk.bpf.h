/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Walk a CPython frame chain, newest frame first.
 *
 * Plain C with one seam, sp_read_target(). bpf/ implements it with
 * bpf_probe_read_user(), resolve/ with process_vm_readv(), tests/unit over a memory
 * image: the lines that run in the kernel run under gdb and the sanitizers too.
 *
 * A read costs some 75 ns whatever its size, so frames are not read one by one: from
 * CPython 3.11 they lie one after another in the thread's data-stack chunk, and a
 * window of the chunk holds some thirty of them. Up to 3.10 each is an object of its own.
 */
#ifndef SPPROF_PY_WALK_BPF_H
#define SPPROF_PY_WALK_BPF_H

#include "py_key.bpf.h"

#define SP_NOWHERE ~0ull
#define SP_C_STACK_MOST (1ull << 30)
#define SP_TSTATE_MOST 1024 /* bytes of a PyThreadState of 3.11 and 3.12, and more */
#define SP_WINDOW_BYTES 4096
#define SP_CHUNK_BYTES 16384 /* the least that CPython makes (DATA_STACK_CHUNK_SIZE) */
#define SP_STEPS_A_FRAME 2   /* each may have a shim below it */
#define SP_WALK_STEPS (SP_STEPS_A_FRAME * SP_MAX_FRAMES)
#define SP_FIELD_MASK 127 /* fields of a frame lie below SP_IFRAME_BYTES */

/* One walk's memory; too large for BPF's stack. */
struct sp_walk {
	__u64 frame; /* the next one to look at */
	__u64 chunk; /* data-stack chunk that frames are expected in */
	__u64 chunk_bytes;
	__u64 window_at;     /* address of window[0] */
	__u32 window_fit;    /* frames that start in the first so many bytes lie in it whole */
	__u32 window_faults; /* windows that could not be read whole */
	__u32 depth;	     /* frames that are kept: 1 to SP_MAX_FRAMES */
	__u32 spare;
	__u64 last_code; /* of the frame taken last, and its key */
	__u64 last_key;
	__u64 last_copy; /* of its bytecode, and which */
	__u32 last_index;
	__u32 is_cut;	  /* the frame passed last is a generator's, and nobody resumed it */
	__u32 met_below;  /* the frame `below` was passed */
	__u32 has_looped; /* a frame came twice */
	__u32 steps;
	__u32 is_second;     /* the walk started again */
	__u64 mark;	     /* a frame that came earlier, further down each time: Brent's */
	__u64 below;	     /* see struct sp_thread */
	__u64 c_stack;	     /* the part of the C stack in use; a frame there is a shim */
	__u64 c_stack_bytes; /* 0: not known */
	__u8 tstate[SP_TSTATE_BYTES + 8];
	/* The window, then room for a single frame that lies elsewhere. */
	__u8 window[SP_WINDOW_BYTES + SP_FIELD_MASK + 9];
	struct sp_keys keys;
};

/* A CPython thread, as far as the walk needs it. */
struct sp_thread {
	__u64 tstate;
	__u64 ident; /* thread_id: threading.get_ident(), the thread pointer on Linux */
	__u64 frame; /* newest frame, 0 if there is none */
	__u64 chunk;
	__u64 native_id; /* as its own PID namespace numbers it; 0 up to 3.10 */
	__u64 interp;

	/*
	 * 3.11, 3.12: the newest frame below the newest _PyCFrame, which every true stack
	 * goes through. A new _PyCFrame is linked before its current_frame is written.
	 */
	__u64 below;
	__u64 is_entered;    /* its newest _PyCFrame is not the one in the thread state */
	__u64 cframe;	     /* then: where that is, on the C stack; else 0 */
	__u64 stack_pointer; /* of the running thread; 0: not known */
};

SP_INLINE __u64 sp_tstate_field(const struct sp_walk *w, __u32 offset)
{
	return *(const __u64 *)(w->tstate + (offset & (SP_TSTATE_BYTES - 1)));
}

/* Bytes to read of a thread state: no more than it has, as nothing may lie behind it. */
SP_INLINE __u32 sp_tstate_bytes(const struct sp_pylayout *at)
{
	__u32 last = at->tstate_datastack_chunk;

	if (last == SP_NO_FIELD)
		return (at->tstate_thread_id & (SP_TSTATE_BYTES - 1)) + 8; /* up to 3.10 */
	if (at->tstate_cframe != SP_NO_FIELD)
		last += SP_ROOT_CFRAME + at->cframe_current_frame;
	if (at->tstate_native_thread_id > last)
		last = at->tstate_native_thread_id;
	if (at->tstate_cframe != SP_NO_FIELD && at->tstate_cframe > last)
		last = at->tstate_cframe;
	return (last & (SP_TSTATE_BYTES - 1)) + 8;
}

/* current_frame of the _PyCFrame at @cframe, which may lie in the thread state that was read. */
SP_INLINE __u64 sp_below(const struct sp_pylayout *at, const struct sp_walk *w, __u64 tstate,
			 __u64 cframe)
{
	__u64 from = cframe + at->cframe_current_frame, below;
	__u64 offset = from - tstate;

	if (offset <= sp_tstate_bytes(at) - 8) {
		SP_BARRIER(offset); /* else clang 19 leaves out the mask, which 6.1 asks for */
		return sp_tstate_field(w, offset);
	}
	return sp_read_target(&below, sizeof(below), from) ? SP_NOWHERE : below;
}

/* Reads the thread state at @tstate. 0, or SP_END_FAULT. */
SP_INLINE __u32 sp_read_thread(const struct sp_pylayout *at, __u64 tstate, struct sp_walk *w,
			       struct sp_thread *out)
{
	__u64 frame, below;

	out->is_entered = 0;
	out->cframe = 0;
	if (sp_read_target(w->tstate, sp_tstate_bytes(at), tstate))
		return SP_END_FAULT;
	if (at->tstate_cframe != SP_NO_FIELD) {
		__u64 cframe = sp_tstate_field(w, at->tstate_cframe);
		__u64 links[2]; /* current_frame, previous */

		if (sp_read_target(links, sizeof(links), cframe + at->cframe_current_frame))
			return SP_END_FAULT;
		frame = links[0];
		below = frame;
		out->is_entered = cframe - tstate >= SP_TSTATE_MOST;
		out->cframe = out->is_entered ? cframe : 0;
		if (!out->is_entered)
			; /* root_cframe: there is no other below it */
		else if (links[1] - cframe >= SP_C_STACK_MOST &&
			 links[1] - tstate >= SP_TSTATE_MOST)
			below = SP_NOWHERE; /* not even `previous` is written yet */
		else
			below = sp_below(at, w, tstate, links[1]);
	} else {
		frame = sp_tstate_field(w, at->tstate_current_frame);
		below = frame;
	}
	out->below = below;
	out->stack_pointer = 0;
	out->tstate = tstate;
	out->frame = frame;
	out->ident = sp_tstate_field(w, at->tstate_thread_id);
	out->native_id = 0;
	out->chunk = 0;
	if (at->tstate_datastack_chunk != SP_NO_FIELD) {
		out->native_id = sp_tstate_field(w, at->tstate_native_thread_id);
		out->chunk = sp_tstate_field(w, at->tstate_datastack_chunk);
	}
	out->interp = sp_tstate_field(w, at->tstate_interp);
	return SP_END_COMPLETE;
}

/* Bytes to read of a frame that is read alone. */
SP_INLINE __u32 sp_frame_bytes(const struct sp_pylayout *at)
{
	__u32 last = at->frame_instr;

	if (at->frame_previous > last)
		last = at->frame_previous;
	if (at->frame_executable > last)
		last = at->frame_executable;
	if (at->frame_tlbc_index != SP_NO_FIELD && at->frame_tlbc_index > last)
		last = at->frame_tlbc_index & ~7u;
	if (at->frame_owner != SP_NO_FIELD && at->frame_owner > last)
		last = at->frame_owner & ~7u;
	return (last & SP_FIELD_MASK) + 8;
}

SP_INLINE __u64 sp_frame_field(const struct sp_walk *w, __u64 where, __u32 offset)
{
	return *(const __u64 *)(w->window + where + (offset & SP_FIELD_MASK));
}

SP_INLINE __u8 sp_frame_owner(const struct sp_pylayout *at, const struct sp_walk *w, __u64 where)
{
	if (at->frame_owner == SP_NO_FIELD)
		return 0;
	return w->window[where + (at->frame_owner & SP_FIELD_MASK)];
}

struct sp_chunk {
	__u64 previous;
	__u64 bytes;
}; /* _PyStackChunk */

/*
 * The frame is not in the chunk as we know it: the chunk is longer than most, or the
 * stack goes on in the one before it, or the frame is a generator's and in none.
 */
SP_INLINE void sp_find_chunk(struct sp_walk *w, __u64 frame)
{
	struct sp_chunk chunk, previous;

	if (!w->chunk || sp_read_target(&chunk, sizeof(chunk), w->chunk))
		return;
	if (frame - w->chunk < chunk.bytes) {
		w->chunk_bytes = chunk.bytes;
	} else if (chunk.previous && !sp_read_target(&previous, sizeof(previous), chunk.previous) &&
		   frame - chunk.previous < previous.bytes) {
		w->chunk = chunk.previous;
		w->chunk_bytes = previous.bytes;
	}
}

/* Copies a frame that the window does not hold, with those before it where that can be. */
SP_INLINE __u64 sp_fetch_frame(const struct sp_pylayout *at, struct sp_walk *w, __u64 frame)
{
	__u32 bytes = sp_frame_bytes(at);
	__u64 end = frame + bytes;

	if (frame - w->chunk < w->chunk_bytes) {
		__u64 start = end - w->chunk < SP_WINDOW_BYTES ? w->chunk : end - SP_WINDOW_BYTES;
		__u64 len = end - start;

		w->window_fit = 0;
		SP_BARRIER(len);
		if (len <= SP_WINDOW_BYTES && !sp_read_target(w->window, len, start)) {
			w->window_at = start;
			w->window_fit = frame - start + 1;
			return frame - start;
		}
		w->window_faults++;
	}
	if (sp_read_target(w->window + SP_WINDOW_BYTES, bytes, frame))
		return SP_NOWHERE;
	if (frame - w->chunk >= w->chunk_bytes && sp_frame_owner(at, w, SP_WINDOW_BYTES) == 0)
		sp_find_chunk(w, frame);
	return SP_WINDOW_BYTES;
}

/* bpf/ makes a function of it that is verified once. */
#ifndef SP_FETCH_FRAME
#define SP_FETCH_FRAME(at, w, frame) sp_fetch_frame(at, w, frame)
#endif

/* Where in w->window the frame's copy starts, or SP_NOWHERE: it cannot be read. */
SP_INLINE __u64 sp_load_frame(const struct sp_pylayout *at, struct sp_walk *w, __u64 frame)
{
	if (frame - w->window_at < w->window_fit)
		return frame - w->window_at;
	return SP_FETCH_FRAME(at, w, frame);
}

/* References to code objects carry tags in their low bits from 3.14 on. */
#define SP_REF_TAGS 3ull

/* The code unit at @instr of the bytecode that starts at @start. */
SP_INLINE __u32 sp_unit_of(__u64 instr, __u64 start)
{
	__s64 unit = (__s64)(instr - start) >> 1;

	return (__u64)(unit + 1) > SP_UNITS_MOST ? SP_INSTR_NOWHERE : (__u32)unit;
}

/*
 * Threads of a free-threaded build have copies of the bytecode. A frame gets the index of its
 * thread's before it gets the pointer into it: then that is still one into the code object.
 */
SP_INLINE __u32 sp_copy_unit(const struct sp_pylayout *at, struct sp_walk *w, __u64 where,
			     __u64 instr, __u64 code)
{
	__u32 index = (__u32)sp_frame_field(w, where, at->frame_tlbc_index);
	__u32 unit = SP_INSTR_NOWHERE;

	if (index && index != w->last_index) {
		w->last_copy = SP_READ_COPY(at, code, index, &w->keys);
		w->last_index = index;
	}
	if (index)
		unit = sp_unit_of(instr, w->last_copy);
	return unit != SP_INSTR_NOWHERE ? unit : sp_unit_of(instr, code + at->code_bytecode);
}

/* The code unit that runs: see frame_instr_kind. */
SP_INLINE __u32 sp_unit(const struct sp_pylayout *at, struct sp_walk *w, __u64 where, __u64 code)
{
	__u64 instr = sp_frame_field(w, where, at->frame_instr);

	if (at->frame_tlbc_index != SP_NO_FIELD)
		return sp_copy_unit(at, w, where, instr, code);
	if (at->frame_instr_kind == SP_INSTR_POINTER)
		return sp_unit_of(instr, code + at->code_bytecode);
	/* f_lasti is an int, -1 before the first instruction: SP_INSTR_BEFORE. */
	return (__u32)((__s32)instr >> (at->frame_instr_kind == SP_INSTR_LASTI_BYTES));
}

SP_INLINE void sp_take_frame(const struct sp_pylayout *at, struct sp_walk *w, __u64 where, __u32 n,
			     struct sp_sample *out)
{
	__u64 code = SP_CODE_ADDRESS(sp_frame_field(w, where, at->frame_executable)) & ~SP_REF_TAGS;
	struct sp_frame *f;

	/* A frame holds its code object, so within a stack an address has one key. */
	if (code != w->last_code) {
		w->last_code = code;
		w->last_key = sp_key_of(at, code, n, &w->keys);
		w->last_index = 0;
	}
	/*
	 * Clang keeps @n on the stack. Older verifiers (6.1) do not learn how large it is there
	 * when a copy of it is compared: so it is told once more.
	 */
	SP_BARRIER(n);
	f = &out->frames[n & (SP_MAX_FRAMES - 1)];
	sp_name_frame(f, code, w->last_key);
	f->instr = sp_unit(at, w, where, code);
}

/*
 * Up to 3.10 a generator that passes a throw() on to the one that it waits for is made the
 * thread's newest frame without being linked to the caller's: the stack ends there too early.
 */
SP_INLINE __u32 sp_is_cut(const struct sp_pylayout *at, const struct sp_walk *w, __u64 where)
{
	return at->frame_instr_kind != SP_INSTR_POINTER &&
	       sp_frame_field(w, where, at->frame_instr - SP_GEN_BEFORE_LASTI) != 0;
}

/* One frame further. 1 when the walk is over, and then out->end says why. */
SP_INLINE int sp_walk_step(const struct sp_pylayout *at, struct sp_walk *w, struct sp_sample *out)
{
	__u32 n = out->frame_count;
	__u64 frame = w->frame;
	__u64 where;

	w->met_below |= frame == w->below;
	w->has_looped |= frame == w->mark;
	w->steps++;
	if (!(w->steps & (w->steps - 1)))
		w->mark = frame;
	if (!frame) {
		out->end = w->is_cut ? SP_END_FAULT : SP_END_COMPLETE;
		return 1;
	}
	where = sp_load_frame(at, w, frame);
	SP_BARRIER(where);
	if (where > SP_WINDOW_BYTES) {
		out->end = SP_END_FAULT;
		return 1;
	}
	w->frame = sp_frame_field(w, where, at->frame_previous);
	if (!w->frame)
		w->is_cut = sp_is_cut(at, w, where);
	if (sp_frame_owner(at, w, where) >= at->owner_shim || frame - w->c_stack < w->c_stack_bytes)
		return 0;
	if (n >= w->depth || n >= SP_MAX_FRAMES) {
		out->end = SP_END_DEPTH;
		return 1;
	}
	sp_take_frame(at, w, where, n, out);
	out->frame_count = n + 1;
	return 0;
}

/*
 * Interpreter frames on the C stack are shims, whatever their owner says: they are linked
 * before it is written. A thread's stack ends at its thread pointer; the main thread's is
 * the highest mapping of all.
 */
SP_INLINE __u64 sp_c_stack_bytes(const struct sp_thread *thread)
{
	__u64 sp = thread->stack_pointer;

	if (!sp)
		return 0;
	return thread->ident > sp && thread->ident - sp < SP_C_STACK_MOST ? thread->ident - sp
									  : SP_C_STACK_MOST;
}

/*
 * Whether @thread, as its state tells it, is the one whose thread pointer is @pointer. A
 * subinterpreter's state may have been made by another thread than the one that runs in it
 * (up to 3.12): then its newest _PyCFrame tells, which lies on the C stack of who runs.
 */
SP_INLINE int sp_is_running(const struct sp_thread *thread, __u64 pointer)
{
	struct sp_thread running = { .ident = pointer, .stack_pointer = thread->stack_pointer };

	if (thread->ident == pointer)
		return 1;
	return thread->cframe &&
	       thread->cframe - thread->stack_pointer < sp_c_stack_bytes(&running);
}

/*
 * @depth: frames to keep, 1 to SP_MAX_FRAMES.
 * @epoch: of the process, where @w->keys is kept from walk to walk, or 0.
 * @generation: sp_generation(), or 0.
 */
SP_INLINE void sp_walk_begin(const struct sp_thread *thread, __u32 depth, __u32 epoch,
			     __u32 generation, struct sp_walk *w, struct sp_sample *out)
{
	w->depth = depth;
	w->keys.epoch = epoch;
	w->keys.generation = generation;
	w->keys.copies_generation = 0;
	w->keys.fresh_count = 0;
	w->frame = thread->frame;
	w->chunk = thread->chunk;
	w->chunk_bytes = SP_CHUNK_BYTES;
	w->window_at = 0;
	w->window_fit = 0;
	w->window_faults = 0;
	w->last_code = 0;
	w->last_key = 0;
	w->last_copy = 0;
	w->last_index = 0;
	w->below = thread->below;
	w->met_below = 0;
	w->has_looped = 0;
	w->is_second = 0;
	w->is_cut = 0;
	w->steps = 0;
	w->mark = SP_NOWHERE;
	w->c_stack = thread->stack_pointer;
	w->c_stack_bytes = sp_c_stack_bytes(thread);
	out->frame_count = 0;
}

/*
 * True, and the walk starts again lower down, if it was a wrong one: what a new _PyCFrame
 * held before its current_frame was written led elsewhere.
 */
SP_INLINE int sp_walk_again(struct sp_walk *w, struct sp_sample *out)
{
	if (w->met_below || (out->end == SP_END_DEPTH && !w->has_looped))
		return 0;
	w->frame = w->below;
	w->met_below = 1;
	w->is_second = 1;
	w->keys.fresh_count = 0;
	out->frame_count = 0;
	return 1;
}

/* A second way that led nowhere says nothing; nor does none, where a _PyCFrame says one runs. */
SP_INLINE void sp_walk_end(const struct sp_thread *thread, const struct sp_walk *w,
			   struct sp_sample *out)
{
	if (thread->is_entered && out->end == SP_END_COMPLETE && !out->frame_count)
		out->end = SP_END_FAULT;
	if (w->is_second && out->end == SP_END_FAULT)
		out->frame_count = 0;
}

SP_INLINE void sp_walk_steps(const struct sp_pylayout *at, struct sp_walk *w, struct sp_sample *out)
{
	for (__u32 i = 0; i < SP_STEPS_A_FRAME * w->depth; i++)
		if (sp_walk_step(at, w, out))
			return;
	out->end = SP_END_DEPTH;
}

/*
 * Fills out->frames, frame_count and end with the stack of @thread. @out has room for
 * @depth frames, of 1 to SP_MAX_FRAMES.
 */
SP_INLINE void sp_walk_python(const struct sp_pylayout *at, const struct sp_thread *thread,
			      __u32 depth, struct sp_walk *w, struct sp_sample *out)
{
	sp_walk_begin(thread, depth, 0, 0, w, out);
	sp_walk_steps(at, w, out);
	if (sp_walk_again(w, out))
		sp_walk_steps(at, w, out);
	sp_walk_end(thread, w, out);
}

#endif
