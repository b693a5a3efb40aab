/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/sampling.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <string.h>

#define RATE (64 << 10)
#define MANY 1000000

static struct sampling new_sampling(uint64_t rate, uint64_t seed, uint64_t thread)
{
	struct sampling s;

	sampling_init(&s, rate, seed, thread);
	return s;
}

Test(heap_sampling, mean_threshold_is_the_rate)
{
	struct sampling s = new_sampling(RATE, 1, 1);
	double sum = 0;

	for (int i = 0; i < MANY; i++)
		sum += (double)sampling_threshold(&s, RATE);
	cr_expect(lt(dbl, fabs(sum / MANY / RATE - 1), 0.01), "%g", sum / MANY / RATE);
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Kolmogorov and Smirnov: 1.63/sqrt(n) is exceeded by chance once in 100 times. */
static void expect_exponential(double *draws, int n, double mean)
{
	double most = 0;
	double share;

	qsort(draws, n, sizeof(*draws), compare);
	for (int i = 0; i < n; i++) {
		share = -expm1(-draws[i] / mean);
		most = fmax(most, fmax(share - (double)i / n, (double)(i + 1) / n - share));
	}
	cr_expect(lt(dbl, most, 1.63 / sqrt(n)));
}

#define DRAWS 50000

Test(heap_sampling, thresholds_are_exponential)
{
	struct sampling s = new_sampling(1ull << 40, 2, 1);
	OWNS_MEM double *draws = calloc(DRAWS, sizeof(*draws));

	for (int i = 0; i < DRAWS; i++)
		draws[i] = (double)sampling_threshold(&s, 1ull << 40);
	expect_exponential(draws, DRAWS, 0x1p40);
}

Test(heap_sampling, the_first_thresholds_of_threads_are_draws_like_any_other)
{
	OWNS_MEM double *draws = calloc(DRAWS, sizeof(*draws));

	for (int i = 0; i < DRAWS; i++)
		draws[i] = (double)new_sampling(1ull << 40, 3, i).byte_counter;
	expect_exponential(draws, DRAWS, 0x1p40);
}

/* Of n pairs, the correlation of what is independent is within 4/sqrt(n). */
Test(heap_sampling, neighbouring_threads_do_not_correlate)
{
	struct sampling one = new_sampling(RATE, 4, 1);
	struct sampling two = new_sampling(RATE, 4, 2);
	double x, y, xy = 0, xx = 0, yy = 0;

	for (int i = 0; i < 100000; i++) {
		x = (double)sampling_threshold(&one, RATE) / RATE - 1;
		y = (double)sampling_threshold(&two, RATE) / RATE - 1;
		xy += x * y;
		xx += x * x;
		yy += y * y;
	}
	cr_expect(lt(dbl, fabs(xy / sqrt(xx * yy)), 4 / sqrt(100000)));
}

static struct row {
	uint64_t rate;
	uint64_t size;
} rows[] = {
	{ 1 << 10, 16 },	   { 1 << 10, 1024 },	 { 1 << 10, 700 },	{ RATE, 4096 },
	{ RATE, 3 * RATE },	   { 1 << 20, 1 << 20 }, { 16 << 20, 8 << 20 }, { 1, 1 },
	{ 1 << 10, 100ull << 40 }, { 16, 16 },
};

static void expect_an_allocation_is_a_sample_with_the_right_chance(struct row *r)
{
	struct sampling s = new_sampling(r->rate, 5, r->size);
	double p = -expm1(-(double)r->size / (double)r->rate);
	int n = 200000;
	int sampled = 0;

	for (int i = 0; i < n; i++)
		sampled += sampling_allocated(&s, r->rate, r->size);
	cr_expect(le(dbl, fabs(sampled - n * p), 4 * sqrt(n * p * (1 - p))), "%d, not %g", sampled,
		  n * p);
	cr_expect(eq(u64, s.sampled_allocs, (uint64_t)sampled));
	cr_expect(eq(u64, s.sampled_bytes, sampled * r->size));
	cr_expect(eq(u64, s.total_allocs, (uint64_t)n));
}

Test(heap_sampling, an_allocation_is_a_sample_with_the_right_chance)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		expect_an_allocation_is_a_sample_with_the_right_chance(&rows[i]);
}

Test(heap_sampling, sizes_beyond_any_threshold_are_one_sample_and_none_is_none)
{
	struct sampling s = new_sampling(RATE, 6, 0);

	for (int i = 0; i < 100; i++) {
		cr_expect(sampling_allocated(&s, RATE, UINT64_MAX));
		cr_expect(s.byte_counter > 0);
		cr_expect(not(sampling_allocated(&s, RATE, 0)));
	}
	cr_expect(eq(u64, s.sampled_allocs, 100));
	for (int i = 0; i < 100; i++) {
		s = new_sampling(UINT64_MAX, 6, i);
		cr_expect(s.byte_counter > 1ll << 40);
		cr_expect(not(sampling_allocated(&s, UINT64_MAX, 1)));
	}
}

Test(heap_sampling, inside_the_profiler_nothing_is_sampled_and_all_is_counted)
{
	struct sampling s = new_sampling(RATE, 7, 0);
	int64_t counter = s.byte_counter;

	cr_expect(sampling_enter(&s));
	cr_expect(not(sampling_enter(&s)));
	cr_expect(not(sampling_allocated(&s, RATE, 1ull << 40)));
	sampling_freed(&s);
	cr_expect(eq(u64, s.skipped_reentrant, 2));
	cr_expect(eq(u64, s.total_allocs + s.total_frees, 0));
	cr_expect(eq(i64, s.byte_counter, counter));
	sampling_leave(&s);
	cr_expect(sampling_allocated(&s, RATE, 1ull << 40));
	sampling_freed(&s);
	cr_expect(eq(u64, s.total_allocs, 1));
	cr_expect(eq(u64, s.total_frees, 1));
}

Test(heap_sampling, a_seed_and_a_thread_say_all_that_follows)
{
	struct sampling one = new_sampling(RATE, 8, 9);
	struct sampling same = new_sampling(RATE, 8, 9);
	struct sampling other = new_sampling(RATE, 9, 8);

	cr_expect(eq(u32, one.initialized, 1));
	cr_expect(eq(int, memcmp(&one, &same, sizeof(one)), 0));
	cr_expect(ne(u64, sampling_random(&one), sampling_random(&other)));
	cr_expect(le(sz, sizeof(one), 1200)); /* about a kilobyte a thread */
}
