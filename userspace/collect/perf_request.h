/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of perf_open: what the opener is asked for. */
#ifndef SPPROF_PERF_REQUEST_H
#define SPPROF_PERF_REQUEST_H

#include <stdint.h>

enum perf_request_kind { OPEN_CPU_CLOCK = 1, OPEN_UPROBE = 2 };

struct perf_clock_request {
	uint32_t kind;
	int32_t cpu;
	uint64_t period_ns;
};

/* Comes with a descriptor: of the file, opened as O_PATH or for reading. */
struct perf_uprobe_request {
	uint32_t kind;
	int32_t pid;
	uint64_t offset;
	uint32_t ref_ctr_offset;
	uint32_t is_return;
};

union perf_request {
	uint32_t kind;
	struct perf_clock_request clock;
	struct perf_uprobe_request uprobe;
};

/* The opener's part of perf_open_uprobe(), with the descriptor that came. */
int perf_uprobe_open(const struct perf_uprobe_request *r, int file);

#endif
