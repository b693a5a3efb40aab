/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process_look - finds out what a process is, and has the kernel follow it if it is a
 * Python. In the sampler's thread only.
 */
#ifndef SPPROF_PROCESS_LOOK_H
#define SPPROF_PROCESS_LOOK_H

#include "collect/collector.h"
#include "daemon/process.h"

struct looker {
	struct collector *collector;
	struct file_memory *files;
	struct program_memory *programs;
};

/*
 * Looks at @p and sets its state, and when it is worth to look again. -ESRCH, and it is
 * no longer followed: it has ended. Else 0.
 */
int process_look(struct looker *l, struct process *p);

/* Follows @p although it is no Python: it is about to become one. */
void process_await(struct looker *l, struct process *p);

/* The kernel follows @p already, with this layout: names can be learnt. 0 or -ENOMEM. */
int process_take_layout(struct process *p, const struct sp_pylayout *at);

/* Sets when to look next: each time later, then only when it uses the processor. */
void process_look_later(struct process *p);

/* @p was just execed: sets when to look at it. */
void process_expect(struct looker *l, struct process *p);

/* It is no news, and was not execed just now: as if it had been looked at often. */
void process_look_seldom(struct process *p);

void process_unfollow(struct looker *l, struct process *p);

#endif
