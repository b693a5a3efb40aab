/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tally - the samples of a session summed up by stack, still as code addresses: adding one
 * costs a hash, names are looked up once a stack and only when the profile is made.
 */
#ifndef SPPROF_TALLY_H
#define SPPROF_TALLY_H

#include "daemon/stack_store.h"
#include "profile/profile.h"

enum tally_mode {
	TALLY_SUMS,  /* one row a stack and thread */
	TALLY_ORDER, /* every sample, with its time */
};

struct tally;

/* What some tallies may hold together, in bytes of rows and of the stacks that they name. */
struct tally_budget {
	uint64_t most, used;
};

/*
 * Holds half of @budget at most, and what others have left of it: beyond, samples are refused.
 * @budget outlives the tally.
 */
struct tally *tally_new(enum tally_mode mode, struct tally_budget *budget);
void tally_free(struct tally *t); /* NULL is fine */
DEFINE_OWNS(tally);

struct tally_sample {
	struct stack *stack; /* the tally takes references of its own */
	struct thread *thread;
	uint64_t weight_ns;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
};

/* -ENOMEM, or -ENOSPC: the limit is reached. */
int tally_add(struct tally *t, const struct tally_sample *s);

/* Samples and their weight so far. */
uint64_t tally_count(const struct tally *t);
uint64_t tally_weight_ns(const struct tally *t);

/* Bytes held, and counted in the budget. */
uint64_t tally_bytes(const struct tally *t);

/* Calls @each for a process that has samples, once or more often. */
void tally_each_process(const struct tally *t, void (*each)(struct process *p, void *ctx),
			void *ctx);

/*
 * Adds everything to @out, with names. @unix_minus_monotonic_ns turns the samples' times
 * into Unix time. 0 or -ENOMEM.
 */
int tally_fill(const struct tally *t, struct profile *out, int64_t unix_minus_monotonic_ns);

#endif
