/* SPDX-License-Identifier: Apache-2.0 */
/* What a simulation of thousands of runs shows is in tests/integration/heap. */
#include "heap/estimator.h"
#include "heap/sampling.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <math.h>

#define MIB (1ull << 20)
#define GIB (1ull << 30)

static bool is_near(double got, double expect)
{
	return fabs(got - expect) <= fabs(expect) * 1e-12;
}

/* Of w = S/(1 - e^(-S/R)): worked out to 20 digits. */
static struct row {
	const char name[40];
	uint64_t size, rate;
	double weight;
} rows[] = {
	{ "far smaller than the rate", 16, 16 * MIB, 16777224.000001271566 },
	{ "far smaller, in odd bits", 48, 17000000, 17000024.000011294118 },
	{ "smaller", 512, 64 << 10, 65792.333332994249625 },
	{ "as large as a rate of exactly 1 MiB", MIB, MIB, 1658822.8073822108248 },
	{ "larger than 24 bits hold", 16 * MIB, 16 * MIB, 26541164.918115373196 },
	{ "far larger", 800 * MIB, MIB, 800.0 * MIB },
	{ "40 rates", 40960, 1024, 40960 },
	{ "41 rates", 41984, 1024, 41984 },
	{ "1 GiB at 1 KiB", GIB, 1024, GIB },
	{ "no rate: each is taken", 16, 0, 16 },
	{ "the most", UINT64_MAX, 1, 18446744073709551615.0 },
};

static void expect_weight_is_the_inverse_of_the_chance(struct row *r)
{
	double weight = estimate_weight(r->size, r->rate);

	cr_expect(is_near(weight, r->weight), "%s: %.20g", r->name, weight);
	cr_expect(ge(dbl, weight, (double)r->size), "%s", r->name);
	cr_expect(is_near(estimate_count(r->size, r->rate) * (double)r->size, r->weight), "%s",
		  r->name);
	cr_expect(is_near(estimate_probability(r->size, r->rate) * r->weight, (double)r->size),
		  "%s", r->name);
}

Test(heap_estimator, weight_is_the_inverse_of_the_chance)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		expect_weight_is_the_inverse_of_the_chance(&rows[i]);
}

static struct estimate group(uint64_t samples, uint64_t size, uint64_t rate)
{
	struct estimate e = estimate_none(rate);

	for (uint64_t i = 0; i < samples; i++)
		estimate_add(&e, size, rate);
	return e;
}

/* As a table of Garwood's limits has them, times the rate. */
static struct limits {
	uint64_t samples;
	double low, high;
} limits[] = {
	{ 1, 0.02532, 5.5716 },	   { 2, 0.24221, 7.2247 },   { 3, 0.61867, 8.7673 },
	{ 5, 1.62349, 11.6683 },   { 10, 4.79539, 18.3904 }, { 15, 8.39539, 24.7402 },
	{ 19, 11.43933, 29.6709 },
};

static void expect_few_samples_have_exact_poisson_limits(struct limits *l)
{
	struct estimate e = group(l->samples, 16, 16 * MIB);
	struct estimate_range bytes = estimate_bytes(&e);
	struct estimate_range objects = estimate_objects(&e);

	cr_expect(lt(dbl, fabs(bytes.low / 16 / MIB - l->low), 1e-4));
	cr_expect(lt(dbl, fabs(bytes.high / 16 / MIB - l->high), 1e-4));
	cr_expect(lt(dbl, fabs(objects.low / MIB - l->low), 1e-4));
	cr_expect(lt(dbl, fabs(objects.high / MIB - l->high), 1e-4));
}

Test(heap_estimator, few_samples_have_exact_poisson_limits)
{
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		expect_few_samples_have_exact_poisson_limits(&limits[i]);
}

Test(heap_estimator, no_sample_leaves_room_for_three_rates)
{
	struct estimate e = estimate_none(64 << 10);
	struct estimate other = estimate_none(MIB);

	cr_expect(eq(dbl, estimate_bytes(&e).high, 3 * 65536));
	cr_expect(eq(dbl, estimate_bytes(&e).low, 0));
	cr_expect(eq(dbl, estimate_bytes(&e).value, 0));
	estimate_merge(&e, &other);
	cr_expect(eq(dbl, estimate_bytes(&e).high, 3 * MIB));
	other = estimate_none(1024);
	estimate_merge(&e, &other);
	cr_expect(eq(dbl, estimate_bytes(&e).high, 3 * MIB));
}

/* (value - truth)^2 = 1.96^2 V at the truth, where V is in proportion to it. */
Test(heap_estimator, many_samples_have_limits_of_a_score_test)
{
	struct estimate e = group(400, 16, 16 * MIB);
	struct estimate_range r = estimate_bytes(&e);
	double ends[] = { r.low, r.high };

	cr_expect(is_near(r.value, 400 * estimate_weight(16, 16 * MIB)));
	for (int i = 0; i < 2; i++) {
		double distance = (r.value - ends[i]) * (r.value - ends[i]);
		double variance = e.bytes.variance * ends[i] / r.value;

		cr_expect(lt(dbl, fabs(distance / variance / 1.959964 / 1.959964 - 1), 1e-9));
	}
	cr_expect(lt(dbl, fabs(sqrt(e.bytes.variance) / r.value - 0.05), 1e-6));
}

Test(heap_estimator, what_was_seen_is_certain)
{
	struct estimate e = group(3, 800 * MIB, MIB);
	struct estimate_range r = estimate_bytes(&e);

	cr_expect(eq(dbl, e.bytes.variance, 0));
	cr_expect(eq(dbl, r.value, 2400.0 * MIB));
	cr_expect(eq(dbl, r.low, 2400.0 * MIB));
	cr_expect(lt(dbl, r.high, 2404.0 * MIB)); /* small ones may be out of sight */
	cr_expect(eq(dbl, estimate_objects(&e).value, 3));
}

/* Of ten allocations of two rates each, all are seen in one of four such groups. */
Test(heap_estimator, large_samples_may_be_all_that_there_is)
{
	struct estimate e = group(10, 2048, 1024);

	cr_expect(eq(dbl, estimate_bytes(&e).low, 20480));
	cr_expect(eq(dbl, estimate_objects(&e).low, 10));
	cr_expect(estimate_bytes(&e).high > 3 * 2048 + 20480);
}

Test(heap_estimator, merged_groups_are_as_if_added_to_one)
{
	struct estimate one = group(7, 16, 1024), two = group(2, MIB, 64 << 10);
	struct estimate all = group(7, 16, 1024), none = { 0 };

	estimate_add(&all, MIB, 64 << 10);
	estimate_add(&all, MIB, 64 << 10);
	estimate_merge(&none, &two);
	estimate_merge(&one, &none);
	cr_expect(eq(u64, one.samples, 9));
	cr_expect(eq(dbl, one.rate, 65536));
	cr_expect(is_near(one.bytes.variance, all.bytes.variance));
	cr_expect(is_near(estimate_bytes(&one).value, estimate_bytes(&all).value));
	cr_expect(is_near(estimate_bytes(&one).low, estimate_bytes(&all).low));
	cr_expect(is_near(estimate_objects(&one).high, estimate_objects(&all).high));
}

static struct mix {
	const char name[24];
	uint64_t rate;
	uint64_t sizes[4];
	uint64_t counts[4];
} mixes[] = {
	{ "small", 64 << 10, { 16, 48, 512, 4096 }, { 20000, 9000, 700, 80 } },
	{ "about the rate", MIB, { MIB, MIB / 2, 3 * MIB, 64 }, { 10, 20, 5, 60000 } },
	{ "few", MIB, { 4096, 512, 64, 16 }, { 500, 2000, 9000, 10000 } },
	{ "large and small", 16 * MIB, { GIB, 16 * MIB, MIB, 65536 }, { 2, 12, 90, 800 } },
};

ParameterizedTestParameters(heap_estimator, is_right_on_average_and_within_its_interval)
{
	return cr_make_param_array(struct mix, mixes, sizeof(mixes) / sizeof(*mixes));
}

static struct estimate sample_mix(const struct mix *m, struct sampling *s)
{
	struct estimate e = estimate_none(m->rate);

	for (int k = 0; k < 4; k++)
		for (uint64_t i = 0; i < m->counts[k]; i++)
			if (sampling_allocated(s, m->rate, m->sizes[k]))
				estimate_add(&e, m->sizes[k], m->rate);
	return e;
}

ParameterizedTest(struct mix *m, heap_estimator, is_right_on_average_and_within_its_interval)
{
	double truth = 0, sum = 0, squares = 0;
	int runs = 300, covered = 0;
	struct sampling s;

	for (int k = 0; k < 4; k++)
		truth += (double)(m->sizes[k] * m->counts[k]);
	sampling_init(&s, m->rate, 1, 1);
	for (int i = 0; i < runs; i++) {
		struct estimate e = sample_mix(m, &s);
		struct estimate_range r = estimate_bytes(&e);

		sum += r.value / truth - 1;
		squares += (r.value / truth - 1) * (r.value / truth - 1);
		covered += r.low <= truth && truth <= r.high;
	}
	cr_expect(lt(dbl, fabs(sum / runs), 3.5 * sqrt(squares) / runs), "%s: %g", m->name,
		  sum / runs);
	cr_expect(covered > 0.95 * runs - 4 * sqrt(runs * 0.95 * 0.05), "%s: %d", m->name, covered);
}
