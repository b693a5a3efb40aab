/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/clock.h"

void clock_fini(struct clock *clock)
{
	rates_fini(&clock->rates);
}

uint64_t clock_ticks_due(const struct clock *clock, const struct collector *c, uint64_t now_ns)
{
	uint64_t ran_ns = clock->hz ? now_ns - clock->since_ns : 0;

	return clock->due + ran_ns / 1000 * clock->hz / 1000000 * collector_clock_count(c);
}

int clock_set(struct clock *clock, struct collector *c, unsigned int hz, uint64_t now_ns)
{
	int err;

	if (hz == clock->hz)
		return 0;
	err = rates_set(&clock->rates, hz, now_ns);
	if (!err)
		err = collector_set_clock(c, hz ? 1000000000ull / hz : 0);
	if (err)
		return err;
	clock->due = clock_ticks_due(clock, c, now_ns);
	clock->since_ns = now_ns;
	clock->hz = hz;
	return 0;
}
