/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The one list of counters: the BPF maps, `spprofctl status` and the metrics
 * all expand it, so a new counter is one line here.
 */
#ifndef SPPROF_COUNTERS_H
#define SPPROF_COUNTERS_H

#ifndef __bpf__
#include <linux/types.h>
#endif

/* Counted in BPF, a slot a processor. They say what happened, not what was lost. */
#define SP_TICK_COUNTERS(X)                                                                        \
	X(TICKS, "ticks", "clock ticks that reached the program")                                  \
	X(TAKEN, "taken", "ticks in a known Python process")                                       \
	X(INVISIBLE, "invisible", "ticks in tasks outside our PID namespace")                      \
	X(BPF_NS, "bpf_ns", "nanoseconds spent in the tick program, on taken ticks")               \
	X(WINDOW_FAULTS, "window_faults", "windows not resident: read frame by frame")             \
	X(CODE_RECORDS, "code_records", "code objects whose names were sent")                      \
	X(CODES_DEFERRED, "codes_deferred",                                                        \
	  "ticks with more new code objects than are sent at once")                                \
	X(CODE_RING_FULL, "code_ring_full", "names not sent: ring buffer full")                    \
	X(PROCESS_RING_FULL, "process_ring_full", "exec, fork or exit not sent: ring buffer full") \
	X(TARGETS_FULL, "targets_full", "processes not followed: table full")

/*
 * Why a taken tick was not delivered. Each taken tick ends once: delivered, or
 * under exactly one of these names.
 */
#define SP_LOSSES(X)                                  \
	X(RING_FULL, "ring_full", "ring buffer full") \
	X(MALFORMED, "malformed", "record of a wrong size or kind")

/* Of the probes of one process's allocator, a slot a processor. What happened: */
#define SP_HEAP_COUNTERS(X)                                                              \
	X(HITS, "hits", "probes hit at an instruction that the kernel emulates")         \
	X(STEPPED_HITS, "stepped_hits", "probes hit at one that it has to step over")    \
	X(RETURN_HITS, "return_hits", "returns of probed functions")                     \
	X(ALLOCATIONS, "allocations", "allocations asked for")                           \
	X(ALLOCATED_BYTES, "allocated_bytes", "bytes asked for")                         \
	X(OBJECT_BYTES, "object_bytes", "of these, of the Python's own allocator")       \
	X(FREES, "frees", "frees asked for")                                             \
	X(REFILLS, "refills", "new pools taken for a size")                              \
	X(REFILLS_SKIPPED, "refills_skipped", "of these, those that another stands for") \
	X(SAMPLED, "sampled", "allocations that were chosen as samples")                 \
	X(FAILED, "failed", "of these, those that were given no memory")                 \
	X(FREES_PASSED, "frees_passed", "frees of what may be a sample")                 \
	X(BPF_NS, "bpf_ns", "nanoseconds spent in the programs, on samples and refills")

/* Why a sample, a refill or a passed free did not arrive; each under one name. */
#define SP_HEAP_LOSSES(X)                                                                  \
	X(RING_FULL, "ring_full", "samples and refills: ring buffer full")                 \
	X(BUSY, "busy", "samples and refills: another thread was interrupted in its walk") \
	X(NO_RETURN, "no_return", "samples, and frees by realloc(), with a return unseen") \
	X(FREE_RING_FULL, "free_ring_full", "frees: ring buffer full; they stay as live")

enum sp_heap_counter {
#define X(name, label, help) SP_HEAP_##name,
	SP_HEAP_COUNTERS(X)
#undef X
		SP_HEAP_COUNT_MAX,
};

enum sp_heap_loss {
#define X(name, label, help) SP_HEAP_LOST_##name,
	SP_HEAP_LOSSES(X)
#undef X
		SP_HEAP_LOST_MAX,
};

/* Value of `heap_counts`, by session. */
struct sp_heap_counts {
	__u64 count[SP_HEAP_COUNT_MAX];
	__u64 lost[SP_HEAP_LOST_MAX];
};

enum sp_tick_counter {
#define X(name, label, help) SP_COUNT_##name,
	SP_TICK_COUNTERS(X)
#undef X
		SP_COUNT_MAX,
};

enum sp_loss {
#define X(name, label, help) SP_LOST_##name,
	SP_LOSSES(X)
#undef X
		SP_LOST_MAX,
};

/*
 * Value of `cpus`, the map with one row a processor: only that processor's programs write
 * it. Times are CLOCK_MONOTONIC.
 */
struct sp_cpu {
	__u64 count[SP_COUNT_MAX];
	__u64 ring_full;     /* taken, but not sent */
	__u64 clock_ns;	     /* the clock's start that the following belong to */
	__u64 last_tick_ns;  /* the last tick that found the processor busy */
	__u64 idle_ns;	     /* that it was idle since then */
	__u64 idle_since_ns; /* 0: it is busy, or we do not know since when it is not */
};

#endif
