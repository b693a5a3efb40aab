/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the BPF programs share: maps and configuration. Each object file defines them
 * weakly; bpftool's linker makes one of them.
 */
#ifndef SPPROF_MAPS_BPF_H
#define SPPROF_MAPS_BPF_H

#include "vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "spprof_counters.h"
#include "spprof_event.h"
#include "spprof_target.h"

/* Configuration: set by collect/ before load, constant afterwards. */
const volatile __u32 cfg_pidns __weak;	     /* inode of our PID namespace; 0: the first one */
const volatile __u32 cfg_stack_depth __weak; /* frames kept of a stack: 1 to SP_MAX_FRAMES */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sp_cpu);
} cpus __weak SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, SP_RING_BYTES);
} events __weak SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SP_MAX_TARGETS);
	__type(key, __u32); /* process id */
	__type(value, struct sp_target);
} targets __weak SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SP_MAX_BINARIES);
	__type(key, struct sp_binary_id);
	__type(value, struct sp_binary);
} binaries __weak SEC(".maps");

#define SP_PIDNS_LEVELS 8 /* nested deeper than this, a task is invisible to us */

static __always_inline struct sp_cpu *this_cpu(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&cpus, &zero);
}

/* @task's number in our PID namespace, 0 if it is not visible there. */
static __always_inline __u32 pid_in_our_ns(struct pid *pid)
{
	__u32 level = BPF_CORE_READ(pid, level);

	for (__u32 i = 0; i < SP_PIDNS_LEVELS; i++) {
		struct upid upid;

		if (i > level)
			break;
		if (bpf_core_read(&upid, sizeof(upid), &pid->numbers[i]))
			break;
		if (BPF_CORE_READ(upid.ns, ns.inum) == cfg_pidns)
			return upid.nr;
	}
	return 0;
}

static __always_inline __u32 process_id(struct task_struct *task)
{
	if (!cfg_pidns)
		return BPF_CORE_READ(task, tgid);
	return pid_in_our_ns(BPF_CORE_READ(task, group_leader, thread_pid));
}

static __always_inline __u32 thread_id(struct task_struct *task)
{
	if (!cfg_pidns)
		return BPF_CORE_READ(task, pid);
	return pid_in_our_ns(BPF_CORE_READ(task, thread_pid));
}

/* Differs from that of any earlier image under the same pid: 1 us apart, 71 minutes round. */
static __always_inline __u32 new_epoch(void)
{
	return (__u32)(bpf_ktime_get_ns() >> 10) | 1;
}

#endif
