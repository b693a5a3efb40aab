/* SPDX-License-Identifier: Apache-2.0 */
/* heap_job - one scan of one heap: made in the main thread, done in the worker's. */
#ifndef SPPROF_HEAP_JOB_H
#define SPPROF_HEAP_JOB_H

#include "base/buffer.h"
#include "daemon/heap_subject.h"

#include <stdatomic.h>

struct heap_job {
	struct heap_subject subject;
	/* The one thing that both threads touch at once: set by the main one. */
	atomic_bool is_cancelled;

	/* The answer. */
	int exit; /* enum spprof_exit */
	char message[512];
	struct buffer json; /* unless exit is not 0 */
	uint64_t scanned_bytes, busy_ns;
};

/* Scans, in the worker's thread. Never tells of another heap than the subject's. */
void heap_job_run(struct heap_job *job);

#endif
