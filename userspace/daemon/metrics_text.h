/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics_text - numbers as Prometheus reads them: the text format, version 0.0.4
 * (https://prometheus.io/docs/instrumenting/exposition_formats/).
 */
#ifndef SPPROF_METRICS_TEXT_H
#define SPPROF_METRICS_TEXT_H

#include "base/buffer.h"
#include "base/procfs.h"
#include "daemon/heap_counters.h"
#include "daemon/heap_session.h"
#include "daemon/sampler.h"
#include "daemon/windows.h"

struct metrics {
	struct collector_counts counts;
	struct sampler_load load;
	struct windows_load windows;
	struct heap_load heap;
	struct heap_sessions_load sessions;	     /* of heaps */
	unsigned int processes[PROCESS_REFUSED + 1]; /* by state */
	uint64_t names_refused;
	struct proc_memory memory; /* the daemon's own, as the following */
	unsigned int descriptors;
	uint64_t cpu_ns;
	uint64_t start_ns; /* Unix time */
};

/* Appends every number of @m, each family with its HELP and TYPE. Errors are @out's. */
void metrics_write(const struct metrics *m, struct buffer *out);

#endif
