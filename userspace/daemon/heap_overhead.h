/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_overhead - what a session's probes cost its process: hits times what a hit costs on this
 * machine, as a share of the processor time that the process had for itself. Pure.
 */
#ifndef SPPROF_HEAP_OVERHEAD_H
#define SPPROF_HEAP_OVERHEAD_H

#include "spprof_counters.h"

#include <stdbool.h>
#include <stdint.h>

/* Of one hit, with the program that runs and finds nothing to do. See daemon/heap_cost.h. */
struct heap_costs {
	double emulated_ns; /* of SP_HEAP_HITS */
	double stepped_ns;  /* of SP_HEAP_STEPPED_HITS */
	double return_ns;   /* of SP_HEAP_RETURN_HITS: beside the hit at the entry */
};

/*
 * As measured, but what is less than any trap takes is what is usual: where thread clocks go by
 * ticks of 4 ms, as in some virtual machines, a short time is none, and a cap would never be reached.
 */
struct heap_costs heap_costs_plausible(const struct heap_costs *measured);

/* A reading of a session, at one moment. Counters only grow; a smaller one than before is no use. */
struct heap_reading {
	uint64_t now_ns;
	uint64_t cpu_ns; /* processor time of the process so far */
	struct sp_heap_counts counts;
};

struct heap_overhead {
	struct heap_reading last; /* where the window begins that is measured next */
	double percent;		  /* over the last window; while is_known */
	bool is_known;
	unsigned int strikes; /* windows over the cap, in a row */
};

enum heap_judgement { HEAP_WITHIN_CAP, HEAP_OVER_CAP };

void heap_overhead_begin(struct heap_overhead *o, const struct heap_reading *at);

/* What was up to @at is not held against what comes; the last figure stays. */
void heap_overhead_forgive(struct heap_overhead *o, const struct heap_reading *at);

/*
 * Takes a reading; windows are a second long, and longer for a process that hardly runs. Over the
 * cap are three windows in a row above @most percent, as what a process does comes in bursts, or
 * one of ten times as much. A process that ran for less than 0.2 % of the time is told, and never
 * over its cap: nobody feels that.
 */
enum heap_judgement heap_overhead_take(struct heap_overhead *o, const struct heap_costs *costs,
				       const struct heap_reading *at, double most);

#endif
