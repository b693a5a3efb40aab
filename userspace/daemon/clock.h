/* SPDX-License-Identifier: Apache-2.0 */
/* clock - the one that drives the sampling: its rate now, those it had, what it should bring. */
#ifndef SPPROF_SAMPLING_CLOCK_H
#define SPPROF_SAMPLING_CLOCK_H

#include "collect/collector.h"
#include "daemon/rates.h"

struct clock {
	struct rates rates;
	unsigned int hz;   /* now; 0: it stands */
	uint64_t since_ns; /* when it was set to that */
	uint64_t due;	   /* ticks until then */
};

/* Zeroed memory is a clock that stands. */
void clock_fini(struct clock *clock);

/* Runs it at @hz on every processor from @now_ns (CLOCK_MONOTONIC) on; 0 stops it. 0 or -errno. */
int clock_set(struct clock *clock, struct collector *c, unsigned int hz, uint64_t now_ns);

/* Ticks that it should have brought so far, on all processors. */
uint64_t clock_ticks_due(const struct clock *clock, const struct collector *c, uint64_t now_ns);

#endif
