/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The clock: on each tick of each processor, the Python stack of the thread that runs
 * there, as a record in the ring buffer.
 */
#include "busy.bpf.h"
#include "py_stack.bpf.h"

#define PF_KTHREAD 0x00200000 /* a kernel thread: include/linux/sched.h */

#define NUDGES 1024		       /* unknown processes remembered a processor */
#define NUDGE_NS (20 * 1000 * 1000ull) /* between two records of one unknown process */

struct nudge {
	__u32 pid;
	__u32 spare;
	__u64 at_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NUDGES);
	__type(key, __u32);
	__type(value, struct nudge);
} nudges SEC(".maps");

static __always_inline void send_sample(struct scratch *s, struct sp_cpu *cpu)
{
	struct sp_sample *sample = sample_in(s);
	__u64 size = sizeof(*sample) + sample->frame_count * sizeof(struct sp_frame);

	SP_BARRIER(size);
	if (size > SAMPLE_BYTES)
		size = SAMPLE_BYTES;
	sample->head.kind = SP_EVENT_SAMPLE;
	sample->head.size = size;
	if (bpf_ringbuf_output(&events, sample, size, wake_flags()))
		cpu->ring_full++;
}

/* Tells the daemon, now and then, that a process it does not know uses the processor. */
static __always_inline void nudge(__u32 pid, __u32 tid, __u64 now)
{
	__u32 slot = pid & (NUDGES - 1);
	struct nudge *last = bpf_map_lookup_elem(&nudges, &slot);
	struct sp_process seen = { 0 };

	if (!last || (last->pid == pid && now - last->at_ns < NUDGE_NS))
		return;
	last->pid = pid;
	last->at_ns = now;
	seen.head.kind = SP_EVENT_SEEN;
	seen.head.size = sizeof(seen);
	seen.head.time_ns = now;
	seen.head.pid = pid;
	seen.head.tid = tid;
	bpf_ringbuf_output(&events, &seen, sizeof(seen), wake_flags());
}

static __always_inline void take_sample(struct scratch *s, struct sp_cpu *cpu, __u64 stack_pointer)
{
	struct sp_sample *sample = sample_in(s);
	__u32 layout = s->target.layout;

	sample->epoch = s->target.epoch;
	sample->ident = 0;
	sample->frame_count = 0;
	sample->end = SP_END_STARTING;
	sample->taken = cpu->count[SP_COUNT_TAKEN];
	sample->ring_full = cpu->ring_full;
	sample->cpu = bpf_get_smp_processor_id();
	bpf_get_current_comm(sample->comm, sizeof(sample->comm));
	if (layout != SP_LAYOUT_NONE) {
		cpu->count[SP_COUNT_WINDOW_FAULTS] += walk_target(layout, stack_pointer);
		send_new_codes(s);
	}
	send_sample(s, cpu);
}

static __always_inline int is_kernel_thread(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	return BPF_CORE_READ(task, flags) & PF_KTHREAD;
}

/*
 * The thread's own, also where the tick interrupted the kernel that works for it; 0: the kernel,
 * before 5.15, does not tell.
 */
static __always_inline __u64 user_stack_pointer(struct bpf_perf_event_data *ctx)
{
	__u64 stack_pointer = PT_REGS_SP(&ctx->regs);
	struct pt_regs *saved;

	if (!(stack_pointer >> 63))
		return stack_pointer;
	if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		return 0;
	saved = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	if (bpf_probe_read_kernel(&stack_pointer, sizeof(stack_pointer), &saved->sp))
		return 0;
	return stack_pointer;
}

SEC("perf_event")
int on_tick(struct bpf_perf_event_data *ctx)
{
	__u64 now = bpf_ktime_get_ns();
	struct sp_cpu *cpu = this_cpu();
	struct scratch *s = this_scratch();
	__u64 ids = bpf_get_current_pid_tgid();
	struct sp_target *target;
	struct sp_sample *sample;
	__u32 pid, tid;
	__u64 weight;

	if (!cpu || !s)
		return 0;
	cpu->count[SP_COUNT_TICKS]++;
	if (!ids)
		return 0; /* idle */
	weight = busy_since_last_tick(cpu, now);
	pid = ids >> 32;
	tid = ids;
	if (cfg_pidns) {
		struct task_struct *task = (void *)bpf_get_current_task();

		pid = process_id(task);
		tid = ids >> 32 == (__u32)ids ? pid : thread_id(task);
	}
	target = pid && tid ? bpf_map_lookup_elem(&targets, &pid) : NULL;
	if (!target) {
		if (is_kernel_thread())
			return 0;
		if (pid && tid)
			nudge(pid, tid, now);
		else
			cpu->count[SP_COUNT_INVISIBLE]++;
		return 0;
	}
	cpu->count[SP_COUNT_TAKEN]++;
	sample = sample_in(s);
	sample->head.time_ns = now;
	sample->head.pid = pid;
	sample->head.tid = tid;
	sample->weight_ns = weight;
	s->target = *target;
	take_sample(s, cpu, user_stack_pointer(ctx));
	target->slot[0] = s->target.slot[0];
	cpu->count[SP_COUNT_BPF_NS] += bpf_ktime_get_ns() - now;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
