/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tally - samples summed up by stack, still as code addresses: adding one costs a hash,
 * names are looked up once a stack and only when the profile is made.
 */
#ifndef SPPROF_TALLY_H
#define SPPROF_TALLY_H

#include "daemon/process.h"
#include "profile/profile.h"
#include "spprof_event.h"

enum tally_mode {
	TALLY_SUMS,  /* one row a stack and thread */
	TALLY_ORDER, /* every sample, with its time */
};

struct tally;

struct tally *tally_new(enum tally_mode mode);
void tally_free(struct tally *t); /* NULL is fine */
DEFINE_OWNS(tally);

/* Counts @s, which @p ran, as @weight_ns. -ENOMEM, or -ENOSPC: the tally's limit is reached. */
int tally_add(struct tally *t, struct process *p, const struct sp_sample *s, uint64_t weight_ns);

/* Samples and their weight so far. */
uint64_t tally_count(const struct tally *t);
uint64_t tally_weight_ns(const struct tally *t);

/* Calls @each for every process that has samples. */
void tally_each_process(struct tally *t, void (*each)(struct process *p, void *ctx), void *ctx);

/*
 * Adds everything to @out, with names. @unix_minus_monotonic_ns turns the samples' times
 * into Unix time. 0 or -ENOMEM.
 */
int tally_fill(struct tally *t, struct profile *out, int64_t unix_minus_monotonic_ns);

#endif
