/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampling - which allocations of a thread are samples: one of @size bytes is one with
 * p = 1 - e^(-size/rate), whatever came before it.
 *
 * Bytes count down to a threshold that is drawn anew after each sample. The distribution has no
 * memory: the first threshold of a thread is a draw like any other, and an allocation that would
 * have crossed several is one sample. One state a thread; nothing here synchronises.
 */
#ifndef SPPROF_SAMPLING_H
#define SPPROF_SAMPLING_H

#include "heap/stack_table.h"

#include <stdbool.h>
#include <stdint.h>

#define SAMPLING_RATE_MOST (1ull << 56) /* bytes; above it a threshold might not fit */

struct sampling {
	int64_t byte_counter; /* bytes until the next sample, >= 1 once initialized */
	uint64_t prng_state[2];
	uint32_t inside_profiler; /* 1 between sampling_enter() and _leave() */
	uint32_t initialized;

	struct stack_frame frame_buffer[STACK_TABLE_DEPTH]; /* for who walks the stack */
	uint32_t frame_depth;

	uint64_t total_allocs;
	uint64_t total_frees;
	uint64_t sampled_allocs;
	uint64_t sampled_bytes;
	uint64_t skipped_reentrant; /* allocations and frees of the profiler itself */
};

/*
 * @rate: bytes from sample to sample, on average; 1 to SAMPLING_RATE_MOST (beyond it: that).
 * @seed of the process and number of the @thread: threads draw nothing that correlates.
 */
void sampling_init(struct sampling *s, uint64_t rate, uint64_t seed, uint64_t thread);

/* Whether this allocation is a sample. False inside the profiler, where nothing counts down. */
bool sampling_allocated(struct sampling *s, uint64_t rate, uint64_t size);
void sampling_freed(struct sampling *s);

/* Around the profiler's own work. False: it is at work on this thread; do not leave() then. */
bool sampling_enter(struct sampling *s);
void sampling_leave(struct sampling *s);

/* xorshift128+ of the state: 64 random bits, of which the upper ones are the best. */
uint64_t sampling_random(struct sampling *s);

/*
 * A threshold: an exponential draw of mean @rate, rounded up to whole bytes, so that it is
 * <= size with exactly the p above. 1 to 2^62.
 */
int64_t sampling_threshold(struct sampling *s, uint64_t rate);

#endif
