/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The record of a sample or a refill, with the stack of who asked.
 *
 * From Linux 6.0 on these programs can be preempted, and then run in another thread on the same
 * processor; and the clock's tick interrupts them. So they have a scratch of their own, which one
 * program at a time has claimed. Of atomic operations only the addition is used: it is older than
 * 5.10, unlike those of 5.12, which earlier kernels refuse wherever they stand.
 */
#ifndef SPPROF_HEAP_RECORD_BPF_H
#define SPPROF_HEAP_RECORD_BPF_H

#define CODES_A_STACK 64      /* samples are few: a stack may not come again */
#define RECORD_NS_MOST 200000 /* 1.5 to 6 us are usual; 4,096 frames take some 150 us */

#include "heap_hit.bpf.h"
#include "py_stack.bpf.h"

/* Programs that are in the processor's scratch, or look whether they may. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} scratch_users SEC(".maps");

/* Two that meet both go away, rather than both stay. */
static __always_inline int claim_scratch(__u64 *users)
{
	__sync_fetch_and_add(users, 1);
	if (*(volatile __u64 *)users == 1)
		return 1;
	__sync_fetch_and_add(users, -1);
	return 0;
}

/* What is recorded, but for the stack. */
struct what {
	enum sp_event_kind kind;
	__u32 rate;
	__u32 domain;
	__u32 spare;
	__u64 address;
	__u64 size;
};

static __always_inline struct sp_alloc *alloc_in(struct scratch *s)
{
	return (struct sp_alloc *)s->alloc;
}

static __always_inline void fill_alloc(struct scratch *s, const struct hit *hit,
				       const struct what *what, __u64 now)
{
	struct sp_alloc *a = alloc_in(s);

	a->head.kind = what->kind;
	a->head.time_ns = now;
	a->head.pid = hit->pid;
	a->head.tid = own_tid(hit);
	a->address = what->address;
	a->size = what->size;
	a->rate = what->rate;
	a->session = hit->session;
	a->domain = what->domain;
	a->native_count = 0;
	__builtin_memset(a->native, 0, sizeof(a->native));
}

static __always_inline void fill_sample(struct scratch *s)
{
	struct sp_sample *sample = sample_in(s);

	sample->head = alloc_in(s)->head;
	sample->head.kind = SP_EVENT_SAMPLE;
	sample->weight_ns = 0;
	sample->taken = 0;
	sample->ring_full = 0;
	sample->ident = 0;
	bpf_get_current_comm(sample->comm, sizeof(sample->comm));
	sample->cpu = bpf_get_smp_processor_id();
	sample->epoch = s->target.epoch;
	sample->end = SP_END_STARTING;
	sample->frame_count = 0;
}

static __always_inline void take_native(struct pt_regs *ctx, struct sp_alloc *a)
{
	long bytes = bpf_get_stack(ctx, a->native, sizeof(a->native), BPF_F_USER_STACK);

	if (bytes > 0)
		a->native_count = bytes / sizeof(a->native[0]);
}

static __always_inline void take_python(struct pt_regs *ctx, struct scratch *s,
					const struct hit *hit)
{
	__u32 pid = hit->pid;
	struct sp_target *target = bpf_map_lookup_elem(&targets, &pid);

	s->target.layout = SP_LAYOUT_NONE;
	s->target.epoch = 0;
	if (target)
		s->target = *target;
	fill_sample(s);
	if (!target || s->target.layout == SP_LAYOUT_NONE)
		return;
	walk_target(s->target.layout, PT_REGS_SP(ctx));
	send_new_codes(s);
	target->slot[0] = s->target.slot[0];
}

/* 0, or 1: the ring is full. */
static __always_inline int send_alloc(struct scratch *s)
{
	struct sp_alloc *a = alloc_in(s);
	__u64 bytes = sizeof(a->sample) + a->sample.frame_count * sizeof(struct sp_frame);

	SP_BARRIER(bytes);
	if (bytes > SAMPLE_BYTES)
		bytes = SAMPLE_BYTES;
	a->sample.head.size = bytes;
	a->head.size = ALLOC_BYTES + bytes;
	return bpf_ringbuf_output(&events, a, ALLOC_BYTES + bytes, wake_flags()) != 0;
}

/*
 * Time that passed, but no more than a walk takes: a program that is preempted (see above) waits for
 * milliseconds, which are no cost of its process's.
 */
static __always_inline __u64 own_ns(__u64 since)
{
	__u64 passed = bpf_ktime_get_ns() - since;

	return passed > RECORD_NS_MOST ? RECORD_NS_MOST : passed;
}

/* 1: it was sent. */
static __always_inline int record(struct pt_regs *ctx, const struct hit *hit,
				  const struct what *what)
{
	__u64 now = bpf_ktime_get_ns();
	struct scratch *s = this_scratch();
	__u32 zero = 0;
	__u64 *users = bpf_map_lookup_elem(&scratch_users, &zero);
	int is_full;

	if (!s || !users)
		return 0;
	if (!claim_scratch(users)) {
		heap_lost(hit->counts, SP_HEAP_LOST_BUSY);
		return 0;
	}
	fill_alloc(s, hit, what, now);
	take_native(ctx, alloc_in(s));
	take_python(ctx, s, hit);
	is_full = send_alloc(s);
	__sync_fetch_and_add(users, -1);
	if (is_full)
		heap_lost(hit->counts, SP_HEAP_LOST_RING_FULL);
	heap_count(hit->counts, SP_HEAP_BPF_NS, own_ns(now));
	return !is_full;
}

#endif
