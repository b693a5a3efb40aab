/* SPDX-License-Identifier: Apache-2.0 */
#include "base/trend.h"

#include <math.h>

#define CORRELATION_MOST 0.9 /* of few scans: the estimate may be anything */

void trend_sums_add(struct trend_sums *s, const struct trend_times *before, double seconds,
		    double value)
{
	double t = before->count ? seconds - before->first : 0, y;

	if (!before->count)
		s->base = value;
	y = value - s->base;
	if (before->count) {
		s->y_lag += s->last * y;
		s->ty_lag += before->last * y + t * s->last;
	}
	s->y += y;
	s->yy += y * y;
	s->ty += t * y;
	s->last = y;
}

void trend_times_add(struct trend_times *times, double seconds)
{
	double t;

	if (!times->count)
		times->first = seconds;
	t = seconds - times->first;
	times->t_lag += times->last * t;
	times->t += t;
	times->tt += t * t;
	times->last = t;
	times->count++;
}

#define TABLED 30 /* degrees of freedom */

/* Quantiles of Student's distribution. Source: tables of it. */
struct student {
	double few[TABLED]; /* for 1 degree and more */
	double many, bend;  /* beyond: many + bend / degrees */
};

/* On either side. */
static const struct student student_95 = {
	.few = { 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
		 2.201,	 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
		 2.080,	 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042 },
	.many = 1.960,
	.bend = 2.46,
};

/* On one side. */
static const struct student student_999 = {
	.few = { 318.3, 22.33, 10.21, 7.173, 5.893, 5.208, 4.785, 4.501, 4.297, 4.144,
		 4.025, 3.930, 3.852, 3.787, 3.733, 3.686, 3.646, 3.610, 3.579, 3.552,
		 3.527, 3.505, 3.485, 3.467, 3.450, 3.435, 3.421, 3.408, 3.396, 3.385 },
	.many = 3.090,
	.bend = 9.0,
};

static double quantile(const struct student *s, uint32_t degrees)
{
	return degrees <= TABLED ? s->few[degrees - 1] : s->many + s->bend / degrees;
}

/* A line through a series: y = at + slope * t. */
struct line {
	double at, slope;
	double spread;	  /* of the times: sum of squares around their mean */
	double residuals; /* sum of squares */
};

static struct line fit(const struct trend_times *t, const struct trend_sums *s)
{
	double n = t->count;
	struct line l = { .spread = t->tt - t->t * t->t / n };

	if (!(l.spread > 0))
		return l;
	l.slope = (s->ty - t->t * s->y / n) / l.spread;
	l.at = (s->y - l.slope * t->t) / n;
	l.residuals = s->yy - s->y * s->y / n - l.slope * l.slope * l.spread;
	l.residuals = l.residuals > 0 ? l.residuals : 0; /* rounding */
	return l;
}

/*
 * Of neighbouring residuals, at least 0. An estimate of n of them lies some (2 + 4 * correlation)
 * / n below what it is of, because the line has followed them.
 */
static double correlation(const struct trend_times *t, const struct trend_sums *s,
			  const struct line *l)
{
	double n = t->count, product, estimate;

	if (n < 5 || !(l->residuals > 0))
		return 0;
	product = s->y_lag - l->at * (2 * s->y - s->last) - l->slope * s->ty_lag +
		  l->at * l->at * (n - 1) + l->at * l->slope * (2 * t->t - t->last) +
		  l->slope * l->slope * t->t_lag;
	estimate = (n * product / l->residuals + 2) / (n - 4);
	/* With as much the error is what it is for a random walk of n steps. */
	return fmin(fmax(estimate, 0), fmax(CORRELATION_MOST, 1 - 4 / (3 * n)));
}

static double error_of(const struct trend_times *t, const struct trend_sums *s,
		       const struct line *l)
{
	double alike = correlation(t, s, l);
	double error = sqrt(l->residuals / (t->count - 2) / l->spread);

	return error * sqrt((1 + alike) / (1 - alike));
}

struct trend trend_of(const struct trend_times *t, const struct trend_sums *s)
{
	struct trend trend = { 0 };
	struct line l;

	if (t->count < 2)
		return trend;
	l = fit(t, s);
	if (!(l.spread > 0))
		return trend;
	trend.has_slope = true;
	trend.slope = trend.least = l.slope;
	if (t->count < 3)
		return trend;
	trend.has_error = true;
	trend.error = error_of(t, s, &l);
	trend.margin = quantile(&student_95, t->count - 2) * trend.error;
	trend.least = l.slope - quantile(&student_999, t->count - 2) * trend.error;
	return trend;
}
