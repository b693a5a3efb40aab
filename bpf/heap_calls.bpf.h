/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is known of a thread whose allocator has probes: when its next sample is due, and which
 * calls of the allocator it is in. No memory is taken for it on the way: threads have a place
 * each in an array, and one that finds another's takes it over. That biases nothing, as a draw
 * does not remember how long it was waited for; only a sample that was to return is lost.
 */
#ifndef SPPROF_HEAP_CALLS_BPF_H
#define SPPROF_HEAP_CALLS_BPF_H

#include "heap_freed.bpf.h"
#include "heap_hit.bpf.h"

#include "exponential.bpf.h"

#define HEAP_THREADS 4096
#define HEAP_DOMAINS 2 /* enum sp_domain */
#define NESTED_MOST 4  /* calls below one that are taken for its own; more: it never returned */

/* A call that has not returned yet. */
struct heap_call {
	__u64 sp; /* the stack pointer when it has; 0: there is none */
	__u64 size;
	__u64 result;	/* posix_memalign(): where the pointer will be; else 0 */
	__u64 old;	/* realloc(): the block that it takes back and that may be a sample, or 0 */
	__u64 began_ns; /* then */
	__u32 rate;	/* of the sample that it is; 0: it is none */
	__u16 is_counted;
	__u16 nested;
};

struct heap_thread {
	__u64 owner; /* bpf_get_current_pid_tgid() */
	__u64 left;  /* bytes until the next sample */
	__u32 rate;  /* that `left` was drawn at; 0: it was not */
	__u32 session;
	struct heap_call call[HEAP_DOMAINS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, HEAP_THREADS);
	__type(key, __u32);
	__type(value, struct heap_thread);
} heap_threads SEC(".maps");

/* The call will not be seen to return. What it was to take back may still be there. */
static __always_inline void give_up_call(const struct heap_thread *t, struct heap_call *call)
{
	__u32 session = t->session;
	struct sp_heap_counts *counts = bpf_map_lookup_elem(&heap_counts, &session);

	if (call->sp && (call->rate || call->old) && counts)
		heap_lost(counts, SP_HEAP_LOST_NO_RETURN);
	if (call->sp && call->old)
		is_not_freed(session, call->old);
	call->sp = 0;
}

/* The running thread's place. */
static __always_inline struct heap_thread *heap_thread_of(__u64 ids, __u32 session)
{
	__u32 place = ids & (HEAP_THREADS - 1);
	struct heap_thread *t = bpf_map_lookup_elem(&heap_threads, &place);

	if (!t || (t->owner == ids && t->session == session))
		return t;
	for (__u32 i = 0; i < HEAP_DOMAINS; i++)
		give_up_call(t, &t->call[i]);
	t->owner = ids;
	t->session = session;
	t->rate = 0;
	return t;
}

/* The running thread's place if it is still its own, and the session's. */
static __always_inline struct heap_thread *heap_thread_kept(__u64 ids, __u32 session)
{
	__u32 place = ids & (HEAP_THREADS - 1);
	struct heap_thread *t = bpf_map_lookup_elem(&heap_threads, &place);

	return t && t->owner == ids && t->session == session ? t : NULL;
}

/* A function of its own: the verifier looks at its loops once. */
__noinline __u64 draw_threshold(__u32 rate)
{
	__u64 random = (__u64)bpf_get_prandom_u32() << 32 | bpf_get_prandom_u32();

	return sp_threshold(random, rate);
}

static __always_inline int is_sample(struct heap_thread *t, __u32 rate, __u64 size)
{
	if (t->rate != rate) {
		t->rate = rate;
		t->left = draw_threshold(rate);
	}
	if (size < t->left) {
		t->left -= size;
		return 0;
	}
	t->left = draw_threshold(rate);
	return 1;
}

/*
 * Whether a call that will return with the stack pointer @sp was made by one that is counted:
 * the block goes through both. (realloc() of glibc calls its malloc(), and posix_memalign() does;
 * a Python's allocator that has no room calls the C library's.)
 */
static __always_inline int is_nested(struct heap_thread *t, __u64 sp)
{
	for (__u32 i = 0; i < HEAP_DOMAINS; i++) {
		struct heap_call *call = &t->call[i];

		if (!call->sp || !call->is_counted)
			continue;
		if (sp <= call->sp && call->nested++ < NESTED_MOST)
			return 1;
		give_up_call(t, call);
	}
	return 0;
}

/* The call that is about to take @pointer back will not: 1 if there was one. */
static __always_inline int take_old(struct heap_thread *t, __u64 pointer)
{
	int was_there = 0;

	for (__u32 i = 0; i < HEAP_DOMAINS; i++) {
		if (!t->call[i].sp || t->call[i].old != pointer)
			continue;
		t->call[i].old = 0;
		was_there = 1;
	}
	return was_there;
}

/* The call that returns with this stack pointer, and its domain; NULL: none that we know of. */
static __always_inline struct heap_call *returning_call(struct heap_thread *t, __u64 sp,
							__u32 *domain)
{
	for (__u32 i = 0; i < HEAP_DOMAINS; i++) {
		*domain = i;
		if (t->call[i].sp == sp)
			return &t->call[i];
	}
	return NULL;
}

#endif
