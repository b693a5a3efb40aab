/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* When each processor becomes idle, and busy again: see busy.bpf.h. */
#include "busy.bpf.h"

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *before, struct task_struct *next)
{
	struct sp_cpu *cpu;

	if (before->pid && next->pid)
		return 0; /* busy, and stays so */
	cpu = this_cpu();
	if (!cpu || !clock_start_ns)
		return 0;
	if (next->pid)
		idle_ended(cpu, bpf_ktime_get_ns());
	else
		cpu->idle_since_ns = bpf_ktime_get_ns();
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
