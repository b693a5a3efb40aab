/* SPDX-License-Identifier: Apache-2.0 */
/* What a sampled frame, or a stack's end, is called. */
#ifndef SPPROF_FRAMES_H
#define SPPROF_FRAMES_H

#include "daemon/process.h"
#include "profile/profile.h"
#include "spprof_event.h"

struct frame_name {
	const char *function, *file; /* valid as long as the process */
	uint32_t line;		     /* that runs; 0: none */
	uint32_t first_line;	     /* 0: unknown */
	enum profile_kind kind;
};

/* The frame's name; `[unknown]` if nobody can say any more what was there. */
struct frame_name frame_name_of(struct process *p, const struct sp_frame *f);

/*
 * The frame that stands for what a stack does not have, below its oldest frame: false if
 * it has everything. `[truncated]`, `[unreadable]`, `[starting]` or, a thread that runs
 * no Python, `[native]`.
 */
bool frame_name_of_end(uint32_t end, uint32_t frame_count, struct frame_name *out);

#endif
