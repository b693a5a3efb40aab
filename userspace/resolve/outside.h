/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks read from outside, for threads that do not run: the walk of bpf/py_walk.bpf.h
 * over process_vm_readv(). The thread may start to run in the middle, so a reading
 * counts only when the next one agrees.
 */
#ifndef SPPROF_OUTSIDE_H
#define SPPROF_OUTSIDE_H

#include "resolve/interpreter.h"
#include "spprof_event.h"

#include <stdint.h>

struct outside_stack {
	uint64_t ident; /* threading.get_ident(); 0: not a thread that Python knows */
	uint32_t end;	/* enum sp_stack_end */
	uint32_t frame_count;
	uint32_t depth;		  /* there is room for so many frames */
	struct sp_frame frames[]; /* newest first */
};

/* An empty one. NULL when out of memory; free() it. */
struct outside_stack *outside_stack_new(uint32_t depth);

/* One reading, which may be torn. 0, -ESRCH, -EPERM, -ENOMEM. */
int outside_read(pid_t pid, pid_t tid, const struct interpreter *in, struct outside_stack *out);

/* Reads until two readings in a row agree. Also -EAGAIN: none of @tries did. */
int outside_read_agreed(pid_t pid, pid_t tid, const struct interpreter *in, int tries,
			struct outside_stack *out);

#endif
