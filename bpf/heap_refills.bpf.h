/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which refills are recorded. A record with its stack costs four times what the hit costs, and a
 * program that only allocates takes 50,000 pools a second; so of a class that is refilled often,
 * one of each REFILL_GROUP, drawn by lot, stands for all of them. Of 10 MB/s and less of a class
 * on a processor, in pools of 16 KB, each is recorded.
 */
#ifndef SPPROF_HEAP_REFILLS_BPF_H
#define SPPROF_HEAP_REFILLS_BPF_H

#include "maps.bpf.h"

#define REFILL_PLACES (SP_HEAP_SESSIONS * SP_SIZE_CLASSES)
#define REFILL_WINDOW_NS 100000000ull
#define REFILLS_A_WINDOW 64 /* of a class on a processor: each is recorded */

/* A power of two. What the last group lacks is below what heap/growth lets pass: a quarter. */
#define REFILL_GROUP 16

/* Of a session's class on a processor. A thread that is preempted here costs a turn, no more. */
struct refill_pace {
	__u64 window; /* since boot */
	__u32 seen;   /* in it */
	__u16 turn;   /* of the group */
	__u16 chosen; /* turn that is recorded */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, REFILL_PLACES);
	__type(key, __u32);
	__type(value, struct refill_pace);
} refill_paces SEC(".maps");

/* A group goes on from window to window: each of its turns is as likely as another. */
static __always_inline __u32 next_turn(struct refill_pace *pace)
{
	__u16 turn = pace->turn & (REFILL_GROUP - 1);

	if (!turn)
		pace->chosen = bpf_get_prandom_u32() & (REFILL_GROUP - 1);
	pace->turn = turn + 1;
	return turn == pace->chosen ? REFILL_GROUP : 0;
}

/* How many refills this one stands for, itself among them. 0: another one stands for it. */
static __always_inline __u32 refill_weight(__u32 session, __u32 size_class)
{
	__u32 place = session * SP_SIZE_CLASSES + size_class;
	__u64 window = bpf_ktime_get_ns() / REFILL_WINDOW_NS;
	struct refill_pace *pace = bpf_map_lookup_elem(&refill_paces, &place);

	if (!pace)
		return 1;
	if (pace->window != window) {
		pace->window = window;
		pace->seen = 0;
	}
	if (pace->seen >= REFILLS_A_WINDOW)
		return next_turn(pace);
	pace->seen++;
	return 1;
}

#endif
