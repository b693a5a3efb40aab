/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/estimator.h"

#include "heap/gamma.h"

#include <math.h>

#define CERTAIN 40	/* rates; beyond, 1 - p is less than 5e-18 */
#define NORMAL 1.959964 /* 97.5 % of a normal distribution are below */
#define TAIL 0.025	/* left out on either side */
#define SMALLEST 16	/* bytes that an allocator gives at least */
#define NONE_RATES 3	/* e^-3 is 5 %: of more, one sample would be there */
#define ENOUGH 20	/* samples' worth of guess from which on it is as good as normal */
#define MIDDLE 0.5	/* of the sample more in limits that are not to be on the safe side */
#define LUMP_SHARE 0.6	/* by enumeration: half a lump leaves 91.8 % somewhere, this 93.6 % */

/* Of one sample: what fell out of sight beside it is worth S(1-p)/p = S/(e^(S/R) - 1). */
struct odds {
	double probability;
	double unseen; /* (1 - p)/p */
};

static struct odds odds_of(uint64_t size, uint64_t rate)
{
	double rates = (double)size / (double)rate; /* rate 0: infinity */

	if (!rate || rates > CERTAIN)
		return (struct odds){ 1, 0 };
	return (struct odds){ -expm1(-rates), 1 / expm1(rates) };
}

double estimate_probability(uint64_t size, uint64_t rate)
{
	return size ? odds_of(size, rate).probability : 0;
}

double estimate_weight(uint64_t size, uint64_t rate)
{
	return size ? (double)size / odds_of(size, rate).probability : (double)rate;
}

double estimate_count(uint64_t size, uint64_t rate)
{
	return 1 / odds_of(size ? size : 1, rate).probability;
}

struct estimate estimate_none(uint64_t rate)
{
	return (struct estimate){ .rate = (double)rate };
}

/* @amount: bytes or 1. V = amount^2 (1-p)/p^2. */
static void sum_add(struct estimate_sum *sum, double amount, struct odds odds)
{
	sum->seen += amount;
	sum->unseen += amount * odds.unseen;
	sum->lumps += amount * odds.unseen * amount;
	sum->variance += amount * odds.unseen * (amount / odds.probability);
}

/* Before its samples are counted: the first one has the sizes of its own. */
static void widen(struct estimate *e, double least, double most)
{
	e->least = e->samples ? fmin(e->least, least) : least;
	e->most = e->samples ? fmax(e->most, most) : most;
}

void estimate_add(struct estimate *e, uint64_t size, uint64_t rate)
{
	struct odds odds = odds_of(size ? size : 1, rate);

	widen(e, (double)size, (double)size);
	e->samples++;
	e->rate = fmax(e->rate, (double)rate);
	sum_add(&e->bytes, (double)size, odds);
	sum_add(&e->objects, 1, odds);
}

static void sum_merge(struct estimate_sum *sum, const struct estimate_sum *other)
{
	sum->seen += other->seen;
	sum->unseen += other->unseen;
	sum->variance += other->variance;
	sum->lumps += other->lumps;
}

void estimate_merge(struct estimate *e, const struct estimate *other)
{
	if (other->samples)
		widen(e, other->least, other->most);
	e->samples += other->samples;
	e->rate = fmax(e->rate, other->rate);
	sum_merge(&e->bytes, &other->bytes);
	sum_merge(&e->objects, &other->objects);
}

/*
 * Limits that solve (value - truth)^2 = NORMAL^2 * variance at the truth, which is proportional
 * to it. Plain value +- NORMAL sqrt(V) covers 93.1 to 97.8 % at 20 to 400 samples, this 93.8 to
 * 96.0 %. Source: C. Rao's score test; E. Wilson, J. Am. Stat. Assoc. 22, 1927, for a share.
 */
static struct estimate_range normal_range(const struct estimate_sum *sum)
{
	double value = sum->seen + sum->unseen;
	double shift = NORMAL * NORMAL / 2 * (sum->variance / value);
	double width = sqrt(NORMAL * NORMAL * sum->variance + shift * shift);

	return (struct estimate_range){ value, fmax(sum->seen, value + shift - width),
					value + shift + width };
}

/* Of a sum of @mean and @variance, as if of a gamma distribution. */
static double limit(double mean, double variance, double share)
{
	double scale = variance / mean;

	return scale * gamma_quantile(mean / scale, share);
}

/*
 * Exact Poisson limits (F. Garwood, Biometrika 28, 1936) are quantiles of gamma distributions,
 * above with one sample more, @next. Scaled to weights that differ: M. Fay, E. Feuer, Statistics
 * in Medicine 16, 1997. What is out of sight comes in lumps, which matters for those of a rate
 * and more: the lower limit is let down by a part of one.
 */
static struct estimate_range exact_range(const struct estimate_sum *sum, double share, double next)
{
	double low = 0;
	double high = 0;

	if (sum->unseen > 0)
		low = limit(sum->unseen, sum->variance, TAIL) -
		      LUMP_SHARE * (sum->lumps / sum->unseen);
	if (next > 0)
		high = limit(sum->unseen + share * next, sum->variance + share * next * next,
			     1 - TAIL);
	return (struct estimate_range){ sum->seen + sum->unseen, sum->seen + fmax(0, low),
					sum->seen + high };
}

static struct estimate_range range_of(const struct estimate_sum *sum, uint64_t samples, double next)
{
	if (sum->unseen * sum->unseen >= ENOUGH * sum->variance && sum->variance > 0)
		return normal_range(sum);
	return exact_range(sum, samples < ENOUGH ? 1 : MIDDLE, next);
}

struct estimate_range estimate_bytes(const struct estimate *e)
{
	if (!e->samples)
		return (struct estimate_range){ .high = NONE_RATES * e->rate };
	return range_of(&e->bytes, e->samples, e->rate);
}

/*
 * A sample more stands for about as many bytes as any other, but for the more objects the smaller
 * they are. Where all have one size so will it; else it may have the smallest that there is.
 */
struct estimate_range estimate_objects(const struct estimate *e)
{
	const struct estimate_sum *sum = &e->objects;

	if (!e->samples)
		return (struct estimate_range){ .high = NONE_RATES * e->rate / SMALLEST };
	if (e->least < e->most)
		return exact_range(sum, 1, e->rate / SMALLEST);
	return range_of(sum, e->samples, e->rate / fmax(1, e->least));
}
