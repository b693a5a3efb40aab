/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trend - how fast a number grows, of repeated scans, and how sure that is.
 *
 * Least squares through all scans. What a program makes and drops varies from scan to scan, and
 * what varies slowly looks like growth for a while: the error is that of least squares, widened by
 * how alike neighbours are (the autocorrelation of the residuals, with its bias in short series
 * taken out). A random walk is still taken for growth now and then: one of 20 in twelve scans,
 * one of ten in many. The times need not be equally far apart.
 */
#ifndef SPPROF_TREND_H
#define SPPROF_TREND_H

#include <stdbool.h>
#include <stdint.h>

/* Sums over the times of the scans: the same for every series. */
struct trend_times {
	uint32_t count;
	double first, last; /* s; all others are relative to the first */
	double t, tt, t_lag;
};

/* Sums over a series. Zeroed memory is one that was 0 in every scan so far. */
struct trend_sums {
	double base; /* the first value, if it was there in the first scan; subtracted from all */
	double last, y, yy, y_lag, ty, ty_lag;
};

struct trend {
	bool has_slope; /* two scans or more */
	bool has_error; /* three or more */
	double slope;	/* a second */
	double error;	/* standard error of the slope */
	double margin;	/* the slope lies within it around the true one: 95 %; without an error 0 */
	double least;	/* of growth, but for one case of 1,000; without an error the slope */
};

/* Adds what the next scan found in a series, then, once for all series, its time. */
void trend_sums_add(struct trend_sums *s, const struct trend_times *before, double seconds,
		    double value);
void trend_times_add(struct trend_times *t, double seconds);

struct trend trend_of(const struct trend_times *t, const struct trend_sums *s);

#endif
