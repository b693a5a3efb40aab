/* SPDX-License-Identifier: Apache-2.0 */
/* What the heap profiler is made of, for its own files. */
#ifndef SPPROF_HEAP_PROFILER_PARTS_H
#define SPPROF_HEAP_PROFILER_PARTS_H

#include "heap/bloom.h"
#include "heap/heap_profiler.h"

#include <pthread.h>
#include <stdatomic.h>

struct heap_profiler {
	struct heap_settings settings;
	struct freed_log *log;
	struct heap_map *map;
	struct stack_table *stacks;
	struct bloom *bloom;

	pthread_mutex_t control; /* for the calls that take turns, and what follows */
	struct frame_health health;

	_Atomic int state; /* enum heap_state */
	_Atomic int active_alloc, active_free;
	_Atomic uint64_t entering; /* samples being entered */
	_Atomic uint64_t stackless;
};

/* Takes the turn if @call is allowed now: the state after it. Else -EPERM, and @why. */
int heap_profiler_begin(struct heap_profiler *p, enum heap_call call, struct buffer *why);

/* Both give the turn back, and return 0; @err. */
int heap_profiler_end(struct heap_profiler *p, int state);
int heap_profiler_fail(struct heap_profiler *p, int err, struct buffer *why, const char *reason);

#endif
