/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refusal - clients that were told that there is no room for them. Their connections stay
 * open for a moment: one that is still sending would otherwise learn of the end only.
 */
#ifndef SPPROF_CONTROL_REFUSAL_H
#define SPPROF_CONTROL_REFUSAL_H

#include <stdbool.h>
#include <stdint.h>

#define REFUSALS 16 /* the oldest goes when one more comes */

/* Zeroed memory is empty. */
struct refusals {
	struct {
		int fd;
		uint64_t since_ns; /* CLOCK_MONOTONIC; 0: none */
	} told[REFUSALS];
	unsigned int next;
};

/* Answers with status 503 and @why, which needs no escapes in JSON. @fd is taken over. */
void refusals_tell(struct refusals *r, int fd, const char *why);

/* Closes those told before @before_ns. Whether others are left. */
bool refusals_close(struct refusals *r, uint64_t before_ns);

#endif
