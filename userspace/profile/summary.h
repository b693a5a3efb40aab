/* SPDX-License-Identifier: Apache-2.0 */
/*
 * summary - self and total weight of each function, and self weight of each line, of a
 * profile. A function that calls itself is counted once a sample.
 */
#ifndef SPPROF_PROFILE_SUMMARY_H
#define SPPROF_PROFILE_SUMMARY_H

#include "profile/profile.h"

struct summary_function {
	profile_id function;
	int64_t self, total; /* in the profile's unit */
};

/* A line that several functions have is one; where there is no line, functions stay apart. */
struct summary_line {
	profile_id function; /* one that has the line */
	profile_id file;
	uint32_t line; /* 0: none */
	int64_t self;
};

struct summary {
	struct summary_function *functions; /* of samples; by self, then total, then name */
	uint32_t function_count;
	struct summary_line *lines; /* by self, then file and line; those with self > 0 */
	uint32_t line_count;
	int64_t weight;	  /* of all samples */
	uint64_t samples; /* their count */
	uint32_t threads; /* that have samples */
};

/* 0 and *@out, or -ENOMEM. */
int summary_make(const struct profile *p, struct summary *out);
void summary_fini(struct summary *s);

static inline void summary_cleanup(struct summary *s)
{
	summary_fini(s);
}

#endif
