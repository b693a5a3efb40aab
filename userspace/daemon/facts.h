/* SPDX-License-Identifier: Apache-2.0 */
/* facts - what a profile says about itself: when, at what rates, of which Pythons, what is lost. */
#ifndef SPPROF_FACTS_H
#define SPPROF_FACTS_H

#include "daemon/process.h"
#include "daemon/rates.h"
#include "profile/profile.h"
#include "spprof_counters.h"

#define FACTS_VERSIONS 16 /* of Python in one profile; beyond, "..." stands for the rest */

struct facts {
	uint64_t start_ns; /* CLOCK_MONOTONIC */
	uint64_t end_ns;
	int64_t unix_minus_monotonic_ns;
	unsigned int hz; /* asked for: what counts if no clock ran */
	bool keeps_order;
	uint64_t delivered;
	uint64_t lost[SP_LOST_MAX]; /* of all processes: the kernel cannot tell whose it was */
	uint64_t refused;	    /* delivered, but there was no room */
	char versions[FACTS_VERSIONS][16];
	unsigned int version_count;
};

/* @p is in the profile. */
void facts_add_process(struct facts *f, const struct process *p);

/* Writes them to @p. 0 or -errno. */
int facts_write(const struct facts *f, const struct rates *rates, struct profile *p);

#endif
