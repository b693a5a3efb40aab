/* SPDX-License-Identifier: Apache-2.0 */
/* rates - which rates the clock ran at, and until when: profiles say so. */
#ifndef SPPROF_RATES_H
#define SPPROF_RATES_H

#include "base/buffer.h"

#include <stdint.h>

struct rate {
	unsigned int hz;
	uint64_t until_ns; /* CLOCK_MONOTONIC; of the rate that runs: UINT64_MAX */
};

struct rates {
	struct rate *at; /* by hz; as many as there are different ones */
	unsigned int count;
};

/* Zeroed memory is a clock that never ran. */
void rates_fini(struct rates *r);

/* From @now_ns on the clock runs at @hz; 0: it stands. 0 or -ENOMEM. */
int rates_set(struct rates *r, unsigned int hz, uint64_t now_ns);

/* Appends those that ran since @since_ns, as "99,4999"; returns the highest, 0 if none. */
unsigned int rates_since(const struct rates *r, uint64_t since_ns, struct buffer *text);

#endif
