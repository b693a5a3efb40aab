/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Births, images and ends of processes. A fork is followed like its parent, a program
 * whose file is known to be a Python is followed from its first instruction; the daemon
 * is told of each at once.
 */
#include "maps.bpf.h"

/* /proc/PID/maps and stat() split a device number so (include/linux/kdev_t.h). */
#define MINOR_BITS 20

static __always_inline void tell(enum sp_event_kind kind, __u32 pid, __u32 parent, __u32 epoch)
{
	struct sp_process event = {
		.head = { .kind = kind, .size = sizeof(event), .pid = pid, .tid = pid },
		.parent = parent,
		.epoch = epoch,
	};
	struct sp_cpu *cpu = this_cpu();

	event.head.time_ns = bpf_ktime_get_ns();
	if (bpf_ringbuf_output(&events, &event, sizeof(event), BPF_RB_FORCE_WAKEUP) && cpu)
		cpu->count[SP_COUNT_PROCESS_RING_FULL]++;
}

static __always_inline void follow(__u32 pid, const struct sp_target *target)
{
	struct sp_cpu *cpu = this_cpu();

	if (bpf_map_update_elem(&targets, &pid, target, BPF_ANY) && cpu)
		cpu->count[SP_COUNT_TARGETS_FULL]++;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	struct sp_target *of_parent, copy;
	__u32 pid, parent_pid;

	if (parent->tgid == child->tgid)
		return 0; /* a thread */
	parent_pid = process_id(parent);
	pid = process_id(child);
	of_parent = bpf_map_lookup_elem(&targets, &parent_pid);
	if (!of_parent || !pid)
		return 0;
	copy = *of_parent;
	copy.epoch = new_epoch();
	follow(pid, &copy);
	tell(SP_EVENT_FORK, pid, parent_pid, copy.epoch);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task)
{
	__u32 pid = process_id(task);
	struct inode *file = BPF_CORE_READ(task, mm, exe_file, f_inode);
	__u32 device = BPF_CORE_READ(file, i_sb, s_dev);
	struct sp_binary_id id = {
		.inode = BPF_CORE_READ(file, i_ino),
		.major = device >> MINOR_BITS,
		.minor = device & ((1u << MINOR_BITS) - 1),
	};
	struct sp_target target = { .layout = SP_LAYOUT_NONE };
	struct sp_binary *binary = bpf_map_lookup_elem(&binaries, &id);
	int was_followed = pid && bpf_map_lookup_elem(&targets, &pid) != NULL;

	if (!pid)
		return 0;
	if (binary) {
		target.runtime = BPF_CORE_READ(task, mm, start_code) + binary->runtime_offset;
		target.layout = binary->layout;
		target.slot[0] = binary->slot[0];
		target.slot[1] = binary->slot[1];
	}
	/* What a followed process execs stays followed until the daemon has looked at it. */
	if (binary || was_followed) {
		target.epoch = new_epoch();
		follow(pid, &target);
	}
	tell(SP_EVENT_EXEC, pid, 0, target.epoch);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
	struct sp_target *target;
	__u32 pid;

	if (BPF_CORE_READ(task, signal, live.counter) > 0)
		return 0; /* threads are left */
	pid = process_id(task);
	target = bpf_map_lookup_elem(&targets, &pid);
	if (!target)
		return 0;
	tell(SP_EVENT_EXIT, pid, 0, target->epoch);
	bpf_map_delete_elem(&targets, &pid);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
