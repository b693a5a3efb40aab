/* SPDX-License-Identifier: Apache-2.0 */
/* gamma - the gamma distribution, for limits on counts (the chi-square one is twice it). */
#ifndef SPPROF_GAMMA_H
#define SPPROF_GAMMA_H

/* The share of it below @x: shape @a > 0, scale 1. */
double gamma_below(double a, double x);

/* The x that a share @p of it is below, 0 < p < 1; to 1e-12 of x or 1e-14 of the mean, @a. */
double gamma_quantile(double a, double p);

#endif
