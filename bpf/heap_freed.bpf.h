/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Addresses whose last free was sent: until one is a sample again, the frees that follow are of
 * something else. The filter alone forgets nothing, and what was freed last is given out next.
 */
#ifndef SPPROF_HEAP_FREED_BPF_H
#define SPPROF_HEAP_FREED_BPF_H

#include "maps.bpf.h"

#include "spprof_filter.h"

#define FREED_PLACES (1 << 17)
#define ADDRESS_BITS 57 /* of user space, at most */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, FREED_PLACES);
	__type(key, __u32);
	__type(value, __u64);
} heap_freed SEC(".maps");

static __always_inline __u64 freed_key(__u32 session, __u64 pointer)
{
	return pointer | (__u64)session << ADDRESS_BITS;
}

static __always_inline __u64 *freed_place(__u64 key)
{
	__u32 place = sp_filter_mix(key) & (FREED_PLACES - 1);

	return bpf_map_lookup_elem(&heap_freed, &place);
}

/* It is not, or nobody was told. */
static __always_inline void is_not_freed(__u32 session, __u64 pointer)
{
	__u64 key = freed_key(session, pointer), *freed = freed_place(key);

	if (freed && *freed == key)
		*freed = 0;
}

#endif
