/* SPDX-License-Identifier: Apache-2.0 */
/* The draws that bpf/ makes without floating point, against those of heap/sampling. */
#include "bpf/exponential.bpf.h"

#include "base/cleanup.h"
#include "heap/sampling.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>

#define RATE (64u << 10)
#define SORTED 50000
#define STRATA_BITS 18
#define STRATA (1 << STRATA_BITS)

static struct sampling new_random(void)
{
	struct sampling s;

	sampling_init(&s, 1, 9, 1);
	return s;
}

/* The middle of part @i of the whole range: what random numbers would do, without their noise. */
static uint64_t stratum(uint64_t i)
{
	return (2 * i + 1) << (63 - STRATA_BITS);
}

static double minus_ln(uint64_t random)
{
	return (double)sp_minus_ln(random) * 0x1p-58;
}

Test(exponential, ends_of_the_range_are_drawn)
{
	cr_expect(lt(dbl, fabs(minus_ln(1) - 64 * log(2)), 1e-12));
	cr_expect(lt(dbl, fabs(minus_ln(0) - 64 * log(2)), 1e-12));
	cr_expect(lt(dbl, minus_ln(UINT64_MAX), 0x1p-57));
}

Test(exponential, powers_of_two_are_multiples_of_ln_2)
{
	for (int bit = 0; bit < 64; bit++) {
		double error = minus_ln(1ull << bit) - (64 - bit) * log(2);

		cr_expect(lt(dbl, fabs(error), 0x1p-46), "bit %d: %g", bit, error);
	}
}

/* log() of the whole: it has 53 bits, so the draws compared are those of up to 44. */
Test(exponential, is_the_logarithm)
{
	struct sampling s = new_random();
	double most = 0;

	for (int i = 0; i < 100000; i++) {
		uint64_t random = sampling_random(&s) >> (i & 31);
		double truth = 64 * log(2) - log((double)random);

		most = fmax(most, fabs(minus_ln(random) - truth));
	}
	cr_expect(lt(dbl, most, 0x1p-45), "%g", most);
}

/* Small blocks at high rates depend on draws close to 0: there, too, the error is small. */
Test(exponential, draws_close_to_0_are_as_exact)
{
	for (int bit = 8; bit < 63; bit++) {
		double distance = (double)(1ull << bit) * 0x1p-64;
		double ratio = minus_ln(-(1ull << bit)) / -log1p(-distance);

		cr_expect(lt(dbl, fabs(ratio - 1), bit < 30 ? 0x1p-2 : 0x1p-20), "bit %d: %.17g",
			  bit, ratio);
	}
}

Test(exponential, mean_threshold_is_the_rate)
{
	double sum = 0;

	for (int i = 0; i < STRATA; i++)
		sum += (double)sp_threshold(stratum(i), RATE) - 0.5; /* is rounded up */
	cr_expect(lt(dbl, fabs(sum / STRATA / RATE - 1), 0.00001), "%g", sum / STRATA / RATE);
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Kolmogorov and Smirnov: 1.63/sqrt(n) is exceeded by chance once in 100 times. */
Test(exponential, thresholds_are_exponential)
{
	const uint32_t rate = UINT32_MAX; /* so fine that rounding does not show */
	struct sampling s = new_random();
	OWNS_MEM double *draws = calloc(SORTED, sizeof(*draws));
	double most = 0;

	for (int i = 0; i < SORTED; i++)
		draws[i] = (double)sp_threshold(sampling_random(&s), rate);
	qsort(draws, SORTED, sizeof(*draws), compare);
	for (int i = 0; i < SORTED; i++) {
		double share = -expm1(-draws[i] / rate);

		most = fmax(most, fmax(share - (double)i / SORTED, (i + 1.0) / SORTED - share));
	}
	cr_expect(lt(dbl, most, 1.63 / sqrt(SORTED)), "%g", most);
}

/* The share of draws that a block of @size reaches is the p that estimates divide by. */
Test(exponential, a_block_is_a_sample_as_often_as_estimates_say)
{
	static const struct {
		uint64_t size;
		uint32_t rate;
	} rows[] = { { 1, 1 }, { 32, 1024 }, { 1024, 1024 }, { 512, 65536 }, { 1 << 20, 524288 } };

	for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		double due = -expm1(-(double)rows[row].size / rows[row].rate) * STRATA;
		double hits = 0;

		for (int i = 0; i < STRATA; i++)
			hits += sp_threshold(stratum(i), rows[row].rate) <= rows[row].size;
		cr_expect(lt(dbl, fabs(hits - due), 1), "%llu of %u: %g of %g",
			  (unsigned long long)rows[row].size, rows[row].rate, hits, due);
	}
}

Test(exponential, a_threshold_is_at_least_1_and_fits)
{
	cr_expect(eq(u64, sp_threshold(UINT64_MAX, UINT32_MAX), 1));
	cr_expect(eq(u64, sp_threshold(UINT64_MAX, 1), 1));
	cr_expect(eq(u64, sp_threshold(1, 1), 45)); /* 64 ln(2) is 44.36 */
	cr_expect(eq(u64, sp_threshold(1, UINT32_MAX) / UINT32_MAX, 44));
}
