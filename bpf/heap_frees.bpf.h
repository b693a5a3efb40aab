/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which frees become records: of what may be a sample (spprof_filter.h), once each. */
#ifndef SPPROF_HEAP_FREES_BPF_H
#define SPPROF_HEAP_FREES_BPF_H

#include "heap_calls.bpf.h"
#include "scratch.bpf.h"
#include "spprof_filter.h"

/* collect/ maps it, too. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SP_FILTER_SIDES);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct sp_filter);
} heap_filter SEC(".maps");

/* The side of the filter that answers. Set by collect/. */
volatile __u32 heap_filter_side;

/* Both sides get it: the one that is in the making must have what is added meanwhile. */
static __always_inline void filter_add(const struct hit *hit, __u64 pointer)
{
	struct sp_filter_places places;

	sp_filter_find(hit->pid, pointer, &places);
	for (__u32 side = 0; side < SP_FILTER_SIDES; side++) {
		__u32 key = side;
		struct sp_filter *filter = bpf_map_lookup_elem(&heap_filter, &key);

		for (__u32 i = 0; filter && i < SP_FILTER_HASHES; i++) {
			__u64 at = places.at[i];

			SP_BARRIER(at);
			filter->is_set[at & (SP_FILTER_PLACES - 1)] = 1;
		}
	}
}

static __always_inline int filter_has(const struct hit *hit, __u64 pointer)
{
	__u32 side = heap_filter_side;
	const struct sp_filter *filter = bpf_map_lookup_elem(&heap_filter, &side);
	struct sp_filter_places places;

	if (!filter)
		return 0;
	sp_filter_find(hit->pid, pointer, &places);
	for (__u32 i = 0; i < SP_FILTER_HASHES; i++) {
		__u64 at = places.at[i];

		SP_BARRIER(at);
		if (!filter->is_set[at & (SP_FILTER_PLACES - 1)])
			return 0;
	}
	return 1;
}

/*
 * Whether what may be a sample at @pointer is given back by this call, and by no other before it:
 * then it counts as freed. @t: NULL, or the thread's.
 */
static __always_inline int gives_back(const struct hit *hit, struct heap_thread *t, __u64 pointer)
{
	__u64 key = freed_key(hit->session, pointer), *freed;
	int is_taken;

	if (!pointer || !filter_has(hit, pointer))
		return 0;
	is_taken = t && take_old(t, pointer);
	freed = freed_place(key);
	if (!freed || (*freed == key && !is_taken))
		return 0;
	*freed = key;
	return 1;
}

/* @at_ns: see struct sp_free. */
static __always_inline void send_free(const struct hit *hit, __u64 pointer, __u64 at_ns)
{
	struct sp_free event = {
		.head = { .kind = SP_EVENT_FREE, .size = sizeof(event), .time_ns = at_ns },
		.address = pointer,
		.session = hit->session,
	};

	event.head.pid = hit->pid;
	event.head.tid = own_tid(hit);
	heap_count(hit->counts, SP_HEAP_FREES_PASSED, 1);
	if (!bpf_ringbuf_output(&events, &event, sizeof(event), wake_flags()))
		return;
	heap_lost(hit->counts, SP_HEAP_LOST_FREE_RING_FULL);
	is_not_freed(hit->session, pointer);
}

#endif
