/* SPDX-License-Identifier: Apache-2.0 */
/* Samples as the kernel sends them, and processes to be sampled. */
#ifndef SPPROF_TESTS_SAMPLES_H
#define SPPROF_TESTS_SAMPLES_H

#include "daemon/stack_store.h"

/*
 * A sample of @tid with @count frames, newest first: code 1000 * @seed, 1000 * @seed + 1, …
 * Valid until the next call; it may be changed.
 */
struct sp_sample *a_sample(uint32_t tid, uint32_t seed, uint32_t count);

/* A process called "app", started at @start_ticks. Free it with process_unref(). */
struct process *a_process(pid_t pid, uint64_t start_ticks);

#endif
