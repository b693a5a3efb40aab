/* SPDX-License-Identifier: Apache-2.0 */
/* The two clocks, in nanoseconds. */
#ifndef SPPROF_CLOCK_H
#define SPPROF_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/* As the kernel's records are stamped. */
static inline uint64_t monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline uint64_t unix_ns(void)
{
	return clock_ns(CLOCK_REALTIME);
}

#endif
