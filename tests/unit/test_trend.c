/* SPDX-License-Identifier: Apache-2.0 */
/* How fast a number grows, against the same sums made the long way, and against chance. */
#include "base/trend.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#define SCANS 12
#define EVERY_S 5.0

/* Uniform in [0, 1): the same in every run. */
static double chance(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (*state >> 11) * 0x1p-53;
}

/* Normal enough: mean 0, variance 1. */
static double noise(uint64_t *state)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += chance(state);
	return sum;
}

static struct trend trend_through(const double *t, const double *y, uint32_t count)
{
	struct trend_times times = { 0 };
	struct trend_sums sums = { 0 };

	for (uint32_t i = 0; i < count; i++) {
		trend_sums_add(&sums, &times, t[i], y[i]);
		trend_times_add(&times, t[i]);
	}
	return trend_of(&times, &sums);
}

static struct trend trend_every(const double *y, uint32_t count)
{
	double t[64];

	for (uint32_t i = 0; i < count; i++)
		t[i] = 1e6 + i * EVERY_S;
	return trend_through(t, y, count);
}

static bool is_near(double a, double b)
{
	return fabs(a - b) <= 1e-9 + 1e-9 * fabs(b);
}

Test(trend, a_line_has_its_slope_and_no_error)
{
	double y[SCANS];
	struct trend trend;

	for (int i = 0; i < SCANS; i++)
		y[i] = 1e9 + 6400 * EVERY_S * i;
	trend = trend_every(y, SCANS);
	cr_assert(trend.has_slope && trend.has_error);
	cr_assert(is_near(trend.slope, 6400), "%g", trend.slope);
	cr_assert(trend.error < 1e-3 && trend.least > 6399.9, "%g %g", trend.error, trend.least);
}

Test(trend, one_scan_has_no_slope_and_two_have_no_error)
{
	const double t[] = { 3, 5, 5 }, y[] = { 10, 30, 50 };
	struct trend trend = trend_through(t, y, 1);

	cr_assert(!trend.has_slope && !trend.has_error);
	trend = trend_through(t, y, 2);
	cr_assert(trend.has_slope && !trend.has_error);
	cr_assert(is_near(trend.slope, 10) && is_near(trend.least, 10));
	trend = trend_through(t + 1, y + 1, 2);
	cr_assert(!trend.has_slope, "two scans of one moment");
}

/* The standard error of textbooks: neighbours that differ as if by chance do not widen it. */
Test(trend, an_error_is_that_of_least_squares)
{
	/* Residuals that change sign each time: their correlation is below 0. */
	const double t[] = { 0, 1, 2, 3, 4, 5 }, y[] = { 1, -1, 1, -1, 1, -1 };
	struct trend trend = trend_through(t, y, 6);
	double slope = -6.0 * 0.5 / 17.5, residuals = 6 - slope * slope * 17.5;

	cr_assert(is_near(trend.slope, slope), "%g", trend.slope);
	cr_assert(is_near(trend.error, sqrt(residuals / 4 / 17.5)), "%g", trend.error);
	cr_assert(is_near(trend.least, slope - 7.173 * trend.error));
}

/* Sums grow with each scan; what they are compared with is made of all values at the end. */
Test(trend, neighbours_that_are_alike_widen_the_error)
{
	double y[SCANS], slope = 0, spread = 0, rss = 0, lag = 0, before = 0;
	double mean_t = EVERY_S * (SCANS - 1) / 2, mean_y = 0, alike;
	struct trend trend;
	uint64_t state = 3;

	for (int i = 0; i < SCANS; i++) {
		y[i] = 5000 + (i ? 0.6 * (y[i - 1] - 5000) : 0) + 100 * noise(&state);
		mean_y += y[i] / SCANS;
	}
	for (int i = 0; i < SCANS; i++) {
		slope += (i * EVERY_S - mean_t) * (y[i] - mean_y);
		spread += (i * EVERY_S - mean_t) * (i * EVERY_S - mean_t);
	}
	slope /= spread;
	for (int i = 0; i < SCANS; i++) {
		double rest = y[i] - mean_y - slope * (i * EVERY_S - mean_t);

		rss += rest * rest;
		lag += rest * before;
		before = rest;
	}
	alike = (SCANS * lag / rss + 2) / (SCANS - 4);
	cr_assert(alike > 0.1 && alike < 0.9, "%g: the row shall show it", alike);
	trend = trend_every(y, SCANS);
	cr_assert(is_near(trend.slope, slope), "%g %g", trend.slope, slope);
	cr_assert(fabs(trend.error / sqrt(rss / (SCANS - 2) / spread * (1 + alike) / (1 - alike)) -
		       1) < 1e-6,
		  "%g", trend.error);
}

Test(trend, a_type_that_came_later_was_nothing_before)
{
	const double t[] = { 0, 1, 2, 3, 4 }, y[] = { 0, 0, 0, 40, 50 };
	struct trend whole = trend_through(t, y, 5), late;
	struct trend_times times = { 0 };
	struct trend_sums sums = { 0 };

	for (int i = 0; i < 5; i++) {
		if (i >= 3)
			trend_sums_add(&sums, &times, t[i], y[i]);
		trend_times_add(&times, t[i]);
	}
	late = trend_of(&times, &sums);
	cr_assert(is_near(late.slope, whole.slope) && is_near(late.error, whole.error));
}

/* Kinds of what does not grow, by what it was the scan before. */
static double next_value(int kind, double last, uint64_t *state)
{
	switch (kind) {
	case 0: /* as much as chance wants: requests of any size */
		return 20000 * 64 * chance(state);
	case 1: /* few are large */
		return 1e5 * pow(-log(1 - chance(state)), 2);
	case 2: /* a pool that fills and empties slowly */
		return 0.5 * last + 1e6 * noise(state);
	default: /* a random walk: a queue that nothing drives either way */
		return last + 3e5 * noise(state);
	}
}

/*
 * The steady leak of 100 objects of 64 bytes a second, beside one type that churns: how often,
 * of 2,000 runs, the other one comes first. Measured: 1, 0, 9, 91.
 */
Test(trend, a_steady_leak_comes_before_what_varies)
{
	static const int most[] = { 4, 4, 20, 110 };

	for (int kind = 0; kind < 4; kind++) {
		uint64_t state = 42;
		int wrong = 0;

		for (int run = 0; run < 2000; run++) {
			double leak[SCANS], churn[SCANS], value = 0;

			for (int i = 0; i < SCANS; i++) {
				value = next_value(kind, value, &state);
				churn[i] = 3e6 + value;
				leak[i] = 64 * floor(100 * (EVERY_S * i + 0.1 * chance(&state)));
			}
			wrong += trend_every(churn, SCANS).least >= trend_every(leak, SCANS).least;
		}
		cr_expect(wrong <= most[kind], "kind %d: %d", kind, wrong);
	}
}

/* The leak's own type may churn as well: then it is still seen, if it grows by 8 deviations. */
Test(trend, a_leak_of_a_type_that_varies_is_seen)
{
	uint64_t state = 7;
	int seen = 0;

	for (int run = 0; run < 1000; run++) {
		double y[SCANS];

		for (int i = 0; i < SCANS; i++)
			y[i] = 1e6 + 8e4 * i / (SCANS - 1.0) + 1e4 * noise(&state);
		seen += trend_every(y, SCANS).least > 0;
	}
	cr_assert(seen > 850, "%d", seen);
}

/* Times that are ever further apart, as scans are thinned out in the long run. */
static struct trend trend_of_many(double likeness, uint64_t *state)
{
	struct trend_times times = { 0 };
	struct trend_sums sums = { 0 };
	double t = 0, y = 0;

	for (uint32_t i = 0; i < 256; i++) {
		double every_s = EVERY_S * (1 << i / 64), alike = pow(likeness, every_s / EVERY_S);

		y = alike * y + sqrt(1 - alike * alike) * 1e6 * noise(state);
		t += every_s;
		trend_sums_add(&sums, &times, t, 1e8 + y);
		trend_times_add(&times, t);
	}
	return trend_of(&times, &sums);
}

/* Measured: 1, 1, 3 and, of what is nearly a random walk, 112. */
Test(trend, of_unequal_times_is_as_sure)
{
	static const struct {
		double likeness;
		int most;
	} rows[] = { { 0, 6 }, { 0.4, 6 }, { 0.95, 10 }, { 0.99995, 150 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t state = 11;
		int wrong = 0;

		for (int run = 0; run < 1000; run++)
			wrong += trend_of_many(rows[i].likeness, &state).least > 0;
		cr_expect(wrong <= rows[i].most, "row %zu: %d", i, wrong);
	}
}

Test(trend, margin_covers_the_slope_of_19_in_20)
{
	uint64_t state = 8;

	for (uint32_t count = 3; count <= 48; count *= 2) {
		int covered = 0;

		for (int run = 0; run < 1000; run++) {
			double y[64];
			struct trend trend;

			for (uint32_t i = 0; i < count; i++)
				y[i] = 700 * EVERY_S * i + 1e4 * noise(&state);
			trend = trend_every(y, count);
			covered += fabs(trend.slope - 700) <= trend.margin;
		}
		cr_expect(covered >= 930 && covered <= 985, "%u: %d", count, covered);
	}
}
