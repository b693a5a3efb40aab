/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of a tally: tally.c fills these rows, tally_fill.c names them. */
#ifndef SPPROF_TALLY_ROWS_H
#define SPPROF_TALLY_ROWS_H

#include "base/hash_index.h"
#include "daemon/tally.h"

struct stack_row {
	uint32_t process; /* index into processes */
	uint32_t end;	  /* enum sp_stack_end */
	uint32_t frame_count;
	uint32_t first; /* index into frames */
};

struct thread_row {
	uint32_t process;
	uint32_t tid;
	uint64_t ident;
	char comm[SP_COMM_BYTES];
};

struct sample_row {
	uint32_t stack, thread;
	uint64_t weight_ns;
	uint64_t count;
	uint64_t time_ns; /* CLOCK_MONOTONIC; 0 when summed up */
};

/* An array that grows; @used and @room count elements. */
#define ROWS(type)             \
	struct {               \
		type *at;      \
		uint32_t used; \
		uint32_t room; \
	}

struct tally {
	enum tally_mode mode;
	uint64_t count, weight_ns;
	size_t bytes;
	ROWS(struct process *) processes;
	ROWS(struct sp_frame) frames;
	ROWS(struct stack_row) stacks;
	ROWS(struct thread_row) threads;
	ROWS(struct sample_row) samples;
	struct hash_index by_stack, by_thread, by_sample;
};

#endif
