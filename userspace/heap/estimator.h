/* SPDX-License-Identifier: Apache-2.0 */
/*
 * estimator - what a group of samples stands for: bytes and objects, with a 95 % interval.
 *
 * A sample of S bytes at rate R was taken with p = 1 - e^(-S/R), so it stands for S/p bytes and
 * 1/p objects (Horvitz and Thompson): unbiased for every size. S of the S/p bytes have been seen
 * and are certain; only the rest, S/p - S, is a guess. Sizes and rates of a group may differ.
 *
 * The interval covers the truth of 93 to 97 % of such groups, and of at least 93 % of small ones.
 * Of samples much larger than their rate nearly all is certain, so of those it covers more.
 */
#ifndef SPPROF_ESTIMATOR_H
#define SPPROF_ESTIMATOR_H

#include <stdint.h>

/* Sums over samples; zeroed memory has none. */
struct estimate_sum {
	double seen;	 /* what the samples themselves are: S, or 1 */
	double unseen;	 /* what they stand for beyond that: S(1-p)/p, or (1-p)/p */
	double variance; /* of seen + unseen: S^2 (1-p)/p^2 */
	double lumps;	 /* unseen times S, or times 1 */
};

struct estimate {
	uint64_t samples;
	double rate;  /* bytes; the largest of the group */
	double least; /* bytes; the smallest sample */
	double most;  /* bytes; the largest sample */
	struct estimate_sum bytes;
	struct estimate_sum objects;
};

struct estimate_range {
	double value;
	double low;
	double high;
};

/* An allocation of @size bytes at @rate; rate 0 takes each, size 0 is never one. */
double estimate_probability(uint64_t size, uint64_t rate);
double estimate_weight(uint64_t size, uint64_t rate); /* bytes; >= size, and > 0 */
double estimate_count(uint64_t size, uint64_t rate);  /* objects; >= 1 */

/* A group of allocations that are sampled at @rate, none of them yet. */
struct estimate estimate_none(uint64_t rate);
void estimate_add(struct estimate *e, uint64_t size, uint64_t rate);
void estimate_merge(struct estimate *e, const struct estimate *other);

/* With its 95 % interval; without a sample, that ends at 3 rates: 95 % of larger groups have one. */
struct estimate_range estimate_bytes(const struct estimate *e);

/* In a group of sizes that differ it may be wide: small objects that none has seen are many. */
struct estimate_range estimate_objects(const struct estimate *e);

#endif
