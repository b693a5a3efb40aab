/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process - one image of a process: what ran under a pid from its birth or exec to its
 * end or next exec. The process table holds it while it runs, profiles hold it while they
 * need its names.
 */
#ifndef SPPROF_PROCESS_H
#define SPPROF_PROCESS_H

#include "daemon/program_memory.h"
#include "resolve/code_table.h"
#include "resolve/interpreter.h"
#include "resolve/thread_names.h"

#include <stdbool.h>
#include <stdint.h>

enum process_state {
	PROCESS_UNKNOWN,  /* not a Python, as far as we know */
	PROCESS_STARTING, /* a Python that runs no code yet, or a program awaited to be one */
	PROCESS_READY,
	PROCESS_REFUSED,
};

struct process {
	unsigned int refs;
	pid_t pid;
	uint32_t epoch;	      /* what its records carry; 0 before it was followed */
	uint64_t start_ticks; /* with the pid, what names a process */
	uid_t uid;
	char name[48];		   /* comm, repaired: a byte may become three */
	struct program_id program; /* what it runs, from its exec or first look on */
	enum process_state state;
	const char *reason; /* of PROCESS_REFUSED */
	bool is_followed;   /* the kernel samples it */
	bool is_hidden;	    /* we may not read it */
	bool is_awaited;    /* followed before it is a Python: a recording asked for it */
	bool has_interpreter;
	struct interpreter interpreter;
	struct code_table *codes;   /* NULL before the layout is known */
	struct thread_names *names; /* NULL: never read; see daemon/naming.h */
	uint64_t names_ns;	    /* CLOCK_MONOTONIC: when */
	uint64_t names_due_ns;	    /* not to be read again before */
	unsigned int looks;	    /* how often it was looked at in vain */
	uint64_t next_look_ns;	    /* CLOCK_MONOTONIC; 0: only on demand */
	uint64_t quiet_until_ns;    /* nor, until then, because it uses the processor */
	uint64_t ended_ns;	    /* 0: runs */
	struct process *next;	    /* in the table's bucket */
	char *cgroup;		    /* text of /proc/PID/cgroup; NULL: not read yet */
	uint64_t cgroup_due_ns;	    /* CLOCK_MONOTONIC: when it is to be read again */
	uint32_t window_stacks;	    /* that the windows hold */
	uint32_t window_index;	    /* among the processes that they hold, if they do */
	size_t window_bytes;	    /* of names that they count as theirs */
};

/* One reference. NULL when out of memory. */
struct process *process_new(pid_t pid);
struct process *process_ref(struct process *p);
void process_unref(struct process *p); /* NULL is fine */

/* Reads name, owner and start time. 0 or -ESRCH. */
int process_identify(struct process *p);

/* The text of /proc/PID/cgroup, no older than a second if it runs; "" if it cannot be told. */
const char *process_cgroup(struct process *p);

/* "unknown", "starting", "ready" or "refused". */
const char *process_state_name(enum process_state state);

#endif
