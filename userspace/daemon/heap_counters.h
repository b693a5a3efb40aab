/* SPDX-License-Identifier: Apache-2.0 */
/* The list of what is counted of heap scans: /v1/status and the metrics expand it. */
#ifndef SPPROF_HEAP_COUNTERS_H
#define SPPROF_HEAP_COUNTERS_H

#include <stdint.h>

/* Each scan that began ends once: done, failed or cancelled. */
#define HEAP_COUNTERS(X)                                                                    \
	X(DONE, "heap_scans", "heaps that were scanned and told")                           \
	X(FAILED, "heap_scans_failed", "scans that ended in an error")                      \
	X(CANCELLED, "heap_scans_cancelled", "scans given up, as nobody waited any more")   \
	X(SHARED, "heap_scans_shared", "questions answered by the scan of another one")     \
	X(REFUSED, "heap_scans_refused", "questions beyond what a user may ask at once")    \
	X(BYTES, "heap_scanned_bytes", "bytes that the scans read of the processes' heaps") \
	X(BUSY_NS, "heap_scan_ns", "nanoseconds spent on scans, those in vain too")

enum heap_counter {
#define X(name, label, help) HEAP_COUNT_##name,
	HEAP_COUNTERS(X)
#undef X
		HEAP_COUNT_MAX,
};

struct heap_load {
	uint64_t count[HEAP_COUNT_MAX];
	unsigned int asks; /* questions that are not answered yet */
};

#endif
