/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A hit of an allocator's probe: whose it is, and what is counted of it. */
#ifndef SPPROF_HEAP_HIT_BPF_H
#define SPPROF_HEAP_HIT_BPF_H

#include "maps.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SP_HEAP_SESSIONS);
	__type(key, __u32); /* process id */
	__type(value, struct sp_heap_target);
} heap_targets SEC(".maps");

/* By session. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SP_HEAP_SESSIONS);
	__type(key, __u32);
	__type(value, struct sp_heap_counts);
} heap_counts SEC(".maps");

/* Atomically: from 6.0 on another thread may run the program before this one went on. */
static __always_inline void heap_count(struct sp_heap_counts *counts, enum sp_heap_counter which,
				       __u64 n)
{
	__sync_fetch_and_add(&counts->count[which], n);
}

static __always_inline void heap_lost(struct sp_heap_counts *counts, enum sp_heap_loss why)
{
	__sync_fetch_and_add(&counts->lost[why], 1);
}

/* A hit of a probe, or a return. */
struct hit {
	__u64 ids; /* bpf_get_current_pid_tgid() */
	__u32 pid; /* in our namespace */
	__u32 session;
	__u32 rate;
	__u32 spare;
	struct sp_heap_counts *counts;
};

/* False: nobody follows this process. */
static __always_inline int begin_hit(struct hit *hit)
{
	const struct sp_heap_target *target;

	hit->ids = bpf_get_current_pid_tgid();
	hit->pid = hit->ids >> 32;
	if (cfg_pidns)
		hit->pid = process_id((void *)bpf_get_current_task());
	target = bpf_map_lookup_elem(&heap_targets, &hit->pid);
	if (!target)
		return 0;
	hit->session = target->session;
	hit->rate = target->rate;
	hit->counts = bpf_map_lookup_elem(&heap_counts, &hit->session);
	return hit->counts != NULL;
}

static __always_inline __u32 own_tid(const struct hit *hit)
{
	return cfg_pidns ? thread_id((void *)bpf_get_current_task()) : (__u32)hit->ids;
}

#endif
