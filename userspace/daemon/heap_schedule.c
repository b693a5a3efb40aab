/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/heap_schedule.h"

#define SECOND_NS 1000000000ull
#define FIT_IN 12 /* the least for a trend: cli/types_trend */
#define LEAST_NS SECOND_NS
#define TIMES_SCAN 20
#define ENDLESS_LEAST_NS (5 * SECOND_NS)
#define ENDLESS_TIMES_SCAN 50
#define FULL_PACE 64 /* scans, after which each doubling of their number doubles the pause */
#define MOST_NS (600 * SECOND_NS)
#define SCAN_MOST_NS (60 * SECOND_NS) /* longer ones are taken for this: products stay small */

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t thin_out(uint64_t pause, unsigned int scans)
{
	for (; scans >= FULL_PACE && pause < MOST_NS; scans /= 2)
		pause *= 2;
	return pause;
}

uint64_t heap_schedule_pause_ns(unsigned int seconds, uint64_t scan_ns, unsigned int scans)
{
	uint64_t pause;

	if (scan_ns > SCAN_MOST_NS)
		scan_ns = SCAN_MOST_NS;
	if (seconds)
		return larger(larger(seconds * SECOND_NS / FIT_IN, LEAST_NS), TIMES_SCAN * scan_ns);
	pause = larger(ENDLESS_LEAST_NS, ENDLESS_TIMES_SCAN * scan_ns);
	pause = thin_out(pause, scans);
	return pause < MOST_NS ? pause : larger(MOST_NS, TIMES_SCAN * scan_ns);
}
