/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/samples.h"

#include <string.h>

struct sp_sample *a_sample(uint32_t tid, uint32_t seed, uint32_t count)
{
	static union {
		struct sp_sample sample;
		__u8 room[sizeof(struct sp_sample) + SP_MAX_FRAMES * sizeof(struct sp_frame)];
	} made;

	memset(&made, 0, sizeof(made));
	made.sample.head.tid = tid;
	made.sample.head.time_ns = 1000 + seed;
	made.sample.frame_count = count;
	strcpy(made.sample.comm, "worker");
	for (uint32_t i = 0; i < count; i++)
		made.sample.frames[i] = (struct sp_frame){ .code = 1000 * seed + i, .key = 1 };
	return &made.sample;
}

struct process *a_process(pid_t pid, uint64_t start_ticks)
{
	struct process *p = process_new(pid);

	strcpy(p->name, "app");
	p->start_ticks = start_ticks;
	p->cgroup = strdup("");
	p->cgroup_due_ns = UINT64_MAX; /* there is nothing in /proc to read */
	return p;
}
