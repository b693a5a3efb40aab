/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How long a processor was busy, which is what a tick weighs. The clock need not tick on
 * an idle processor (it does on some, on others of the same machine it does not), so the
 * time between two ticks says little: idle time is measured, and taken off.
 */
#ifndef SPPROF_BUSY_BPF_H
#define SPPROF_BUSY_BPF_H

#include "maps.bpf.h"

/* When the clock was started; 0: it stands. Set by collect/. */
__u64 clock_start_ns __weak;

static __always_inline int is_idle(struct task_struct *task)
{
	return BPF_CORE_READ(task, pid) == 0; /* each processor's own idle task */
}

/* What was measured before the clock's last start is void. */
static __always_inline void begin_with_clock(struct sp_cpu *cpu)
{
	if (cpu->clock_ns == clock_start_ns)
		return;
	cpu->clock_ns = clock_start_ns;
	cpu->last_tick_ns = clock_start_ns;
	cpu->idle_ns = 0;
}

static __always_inline void idle_ended(struct sp_cpu *cpu, __u64 now)
{
	__u64 since = cpu->idle_since_ns;

	begin_with_clock(cpu);
	cpu->idle_ns += now - (since > cpu->clock_ns ? since : cpu->clock_ns);
	cpu->idle_since_ns = 0;
}

/* Time that the processor was busy since the last tick that found it so. Starts anew. */
static __always_inline __u64 busy_since_last_tick(struct sp_cpu *cpu, __u64 now)
{
	__u64 passed, busy;

	begin_with_clock(cpu);
	passed = now - cpu->last_tick_ns;
	busy = passed > cpu->idle_ns ? passed - cpu->idle_ns : 0;
	cpu->last_tick_ns = now;
	cpu->idle_ns = 0;
	return busy;
}

#endif
