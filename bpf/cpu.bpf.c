/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The clock: on each tick of each processor, the Python stack of the thread that runs
 * there, as a record in the ring buffer.
 */
#include "busy.bpf.h"
#include "py_names.bpf.h"

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

static __always_inline const struct sp_pylayout *layout_of(__u32 number)
{
	return bpf_map_lookup_elem(&layouts, &number);
}

/* Where every thread keeps its thread state: its pthread value under autoTSSkey. */
static __always_inline __s32 find_slot(const struct sp_target *target, const struct sp_pylayout *at)
{
	struct {
		__u32 is_initialized;
		__u32 key;
	} tss; /* Py_tss_t */

	if (at->runtime_autotsskey == SP_NO_KEY ||
	    sp_read_target(&tss, sizeof(tss), target->runtime + at->runtime_autotsskey))
		return 0;
	if (!tss.is_initialized || tss.key >= SP_TSD_KEYS)
		return 0;
	return SP_TSD_BASE + tss.key * SP_TSD_STRIDE + SP_TSD_DATA;
}

/* The running thread's thread state; 0 if it has none that we know of. */
static __always_inline __u64 find_tstate(struct sp_target *target, const struct sp_pylayout *at,
					 __u64 thread_pointer)
{
	__u64 tstate = 0;

	if (!target->slot[0])
		target->slot[0] = find_slot(target, at);
	if (!target->slot[0] ||
	    sp_read_target(&tstate, sizeof(tstate), thread_pointer + target->slot[0]))
		return 0;
	if (!tstate && target->slot[1])
		sp_read_target(&tstate, sizeof(tstate), thread_pointer + target->slot[1]);
	return tstate;
}

/* The following are those of py_walk.bpf.h, for the process in the scratch. */

__noinline __u64 fetch_frame(__u64 frame)
{
	struct scratch *s = this_scratch();
	const struct sp_pylayout *at = s ? layout_of(s->target.layout) : NULL;

	return at ? sp_fetch_frame(at, &s->walk, frame) : SP_NOWHERE;
}

__noinline __u64 read_key(__u64 code, __u32 n)
{
	struct scratch *s = this_scratch();
	const struct sp_pylayout *at = s ? layout_of(s->target.layout) : NULL;

	return at ? sp_read_key(at, code, n, &s->walk.keys) : 0;
}

__noinline __u64 read_copy(__u64 code, __u32 index)
{
	struct scratch *s = this_scratch();
	const struct sp_pylayout *at = s ? layout_of(s->target.layout) : NULL;

	return at ? sp_read_copy(at, code, index, &s->walk.keys) : 0;
}

#define STEPS_A_CALL 4

/* Some steps of sp_walk_steps(). 1: the walk is over. */
__noinline int walk_some(__u32 layout)
{
	const struct sp_pylayout *at = bpf_map_lookup_elem(&layouts, &layout);
	struct scratch *s = this_scratch();

	if (!s || !at)
		return 1;
	for (__u32 i = 0; i < STEPS_A_CALL; i++)
		if (sp_walk_step(at, &s->walk, sample_in(s)))
			return 1;
	return 0;
}

/* As sp_walk_steps(). */
__noinline int walk_steps(__u32 layout)
{
	struct scratch *s = this_scratch();

	for (__u32 i = 0; i < SP_WALK_STEPS; i += STEPS_A_CALL)
		if (i >= SP_STEPS_A_FRAME * cfg_stack_depth)
			break;
		else if (walk_some(layout))
			return 0;
	if (s)
		sample_in(s)->end = SP_END_DEPTH;
	return 0;
}

/* Reads the thread state at @tstate: true if it is the running thread's. */
static __always_inline int read_state(const struct sp_pylayout *at, __u64 tstate,
				      __u64 stack_pointer, __u64 thread_pointer, struct sp_walk *w,
				      struct sp_thread *out)
{
	if (!tstate || sp_read_thread(at, tstate, w, out))
		return 0;
	out->stack_pointer = stack_pointer;
	return sp_is_running(out, thread_pointer);
}

/* The state of whoever has the GIL: of a subinterpreter, where the thread runs in one. */
static __always_inline __u64 find_current(const struct sp_target *target,
					  const struct sp_pylayout *at)
{
	__u64 tstate = 0;

	if (at->runtime_tstate_current)
		sp_read_target(&tstate, sizeof(tstate),
			       target->runtime + at->runtime_tstate_current);
	return tstate;
}

/*
 * The newest state of the newest subinterpreter, if there are any. A thread that has let go of
 * the GIL runs there if it has a frame there: up to 3.11 its own value stays its first state.
 */
static __always_inline __u64 find_newest(const struct sp_target *target,
					 const struct sp_pylayout *at)
{
	__u64 interps[2] = { 0 }, tstate = 0; /* head, main */

	if (!at->runtime_tstate_current ||
	    sp_read_target(interps, sizeof(interps),
			   target->runtime + at->runtime_interpreters_head) ||
	    interps[0] == interps[1])
		return 0;
	sp_read_target(&tstate, sizeof(tstate), interps[0] + at->interp_threads_head);
	return tstate;
}

/* Finds the running thread's state and reads it: 0; 1: what was found is another's. */
static __always_inline int read_running(struct scratch *s, const struct sp_pylayout *at,
					__u64 stack_pointer, __u64 thread_pointer,
					struct sp_thread *out)
{
	if (read_state(at, find_current(&s->target, at), stack_pointer, thread_pointer, &s->walk,
		       out))
		return 0;
	if (read_state(at, find_newest(&s->target, at), stack_pointer, thread_pointer, &s->walk,
		       out) &&
	    out->frame)
		return 0;
	return !read_state(at, find_tstate(&s->target, at, thread_pointer), stack_pointer,
			   thread_pointer, &s->walk, out);
}

/* Puts the running thread's stack into the scratch's sample. */
__noinline int walk_target(__u32 layout, __u64 stack_pointer)
{
	const struct sp_pylayout *at = bpf_map_lookup_elem(&layouts, &layout);
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 thread_pointer = BPF_CORE_READ(task, thread.fsbase);
	struct scratch *s = this_scratch();
	struct sp_thread thread = { 0 };
	struct sp_sample *sample;

	if (!s || !at)
		return 0;
	sample = sample_in(s);
	sample->end = SP_END_NO_THREAD;
	if (read_running(s, at, stack_pointer, thread_pointer, &thread)) {
		if (thread.tstate && at->runtime_autotsskey != SP_NO_KEY)
			s->target.slot[0] = 0; /* Python was started anew, with another key */
		return 0;
	}
	thread.ident = thread_pointer;
	sample->ident = thread.ident;
	sp_walk_begin(&thread, cfg_stack_depth, s->target.epoch, sp_generation(at, thread.interp),
		      &s->walk, sample);
	s->walk.keys.copies_generation =
		sp_copies_generation(at, thread.interp, s->walk.keys.generation);
	walk_steps(layout);
	if (sp_walk_again(&s->walk, sample))
		walk_steps(layout);
	sp_walk_end(&thread, &s->walk, sample);
	return s->walk.window_faults;
}

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
