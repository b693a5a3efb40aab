/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weights - the fixed point that a file's numbers fit into: the fewest decimals that
 * hold each of them, so that sums are exact. A file is read for its numbers first.
 */
#ifndef SPPROF_IMPORT_WEIGHTS_H
#define SPPROF_IMPORT_WEIGHTS_H

#include "import/decimal.h"
#include "import/reason.h"
#include "profile/profile.h"

#define WEIGHTS_MOST_DECIMALS 9

struct weights {
	int decimals; /* as many as what was seen needs */
	double sum;   /* of |numbers|, without decimals */
	bool is_rounded;
};

/* Zeroed memory has seen nothing. @d counts as @d * 10^@power. */
void weights_see(struct weights *w, const struct decimal *d, int power);

/* The same for a position, of which only differences count. */
void weights_see_position(struct weights *w, const struct decimal *d, int power);

/*
 * Chooses, when all are seen, and tells @p: 0, or -E2BIG and @why, where the sum is more
 * than 63 bits. If numbers get rounded, @why says so.
 */
int weights_settle(struct weights *w, struct profile *p, struct buffer *why);

/* A number that was seen, in units of 10^-decimals. */
int64_t weights_fixed(const struct weights *w, const struct decimal *d, int power);

#endif
