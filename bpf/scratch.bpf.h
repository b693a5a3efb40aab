/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a stack is taken with: the processor's memory, the layouts, and the way into the ring. */
#ifndef SPPROF_SCRATCH_BPF_H
#define SPPROF_SCRATCH_BPF_H

#include "maps.bpf.h"

static inline long sp_read_target(void *dst, __u32 len, __u64 addr)
{
	return bpf_probe_read_user(dst, len, (const void *)addr);
}

#define SP_READ_KEY(at, code, n, keys) read_key(code, n)
#define SP_READ_COPY(at, code, index, keys) read_copy(code, index)
#define SP_FETCH_FRAME(at, walk, frame) fetch_frame(frame)
__u64 read_key(__u64 code, __u32 n);
__u64 read_copy(__u64 code, __u32 index);
__u64 fetch_frame(__u64 frame);

#include "py_walk.bpf.h"

#define WAKE_BYTES (256u << 10) /* of records that wait before the daemon is woken */

#define ALLOC_BYTES (sizeof(struct sp_alloc) - sizeof(struct sp_sample)) /* before its sample */
#define SAMPLE_BYTES (sizeof(struct sp_sample) + SP_MAX_FRAMES * sizeof(struct sp_frame))
#define CODE_BYTES (sizeof(struct sp_code) + 2 * SP_TEXT_BYTES + SP_LINETABLE_BYTES)

/*
 * Its functions that loop are global ones: the verifier looks at such a function once,
 * not once for each way that leads to it. They may take numbers only (5.10), so what
 * they work on is here.
 */
struct scratch {
	/* What a short stack needs comes first: each page that a tick touches may cost 100 ns. */
	struct sp_target target;
	__u64 alloc[ALLOC_BYTES / 8];	/* struct sp_alloc, of which the sample is the end */
	__u64 sample[SAMPLE_BYTES / 8]; /* struct sp_sample with its frames */
	struct sp_walk walk;
	__u64 code[CODE_BYTES / 8]; /* struct sp_code with its texts */
};

/*
 * One a processor and object file: a tick may interrupt a probe's program. (collect/ sets
 * max_entries; a per-CPU array takes no value of this size.)
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SP_MAX_LAYOUTS);
	__type(key, __u32);
	__type(value, struct sp_pylayout);
} layouts SEC(".maps");

static __always_inline struct scratch *this_scratch(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&scratches, &cpu);
}

static __always_inline struct sp_sample *sample_in(struct scratch *s)
{
	return (struct sp_sample *)s->sample;
}

/* Wakes the daemon by batches: a wake-up a sample would cost more than the sample. */
static __always_inline __u64 wake_flags(void)
{
	return bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA) >= WAKE_BYTES ? BPF_RB_FORCE_WAKEUP
									   : BPF_RB_NO_WAKEUP;
}

#endif
