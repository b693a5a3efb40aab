/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/gamma.h"

#include <math.h>

#define PRECISE 1e-15
#define TERMS_MOST 10000

/* Source of both: Abramowitz and Stegun, Handbook of Mathematical Functions, 6.5.29 and 6.5.31. */
static double below_by_series(double a, double x)
{
	double term = 1 / a;
	double sum = term;

	for (int n = 1; n < TERMS_MOST && term > sum * PRECISE; n++) {
		term *= x / (a + n);
		sum += term;
	}
	return sum * exp(a * log(x) - x - lgamma(a));
}

/* The continued fraction, evaluated from the front: each step is a better quotient. */
static double above_by_fraction(double a, double x)
{
	double b = x + 1 - a;
	double c = INFINITY;
	double d = 1 / b;
	double value = d;
	double step = 0;

	for (int n = 1; n < TERMS_MOST && fabs(step - 1) > PRECISE; n++) {
		double term = n * (a - n);

		b += 2;
		d = 1 / (b + term * d);
		c = b + term / c;
		step = c * d;
		value *= step;
	}
	return value * exp(a * log(x) - x - lgamma(a));
}

double gamma_below(double a, double x)
{
	if (x <= 0)
		return 0;
	return x < a + 1 ? below_by_series(a, x) : 1 - above_by_fraction(a, x);
}

/* Near enough for a start: the power series cut off, or the cube of a normal variable. */
static double first_guess(double a, double p, double high)
{
	double tail = p < 0.5 ? p : 1 - p;
	double t = sqrt(-2 * log(tail));
	double z = t - (2.30753 + 0.27061 * t) / (1 + t * (0.99229 + t * 0.04481));
	double root = 1 - 1 / (9 * a) + (p < 0.5 ? -z : z) / (3 * sqrt(a));
	double x = a * root * root * root;

	if (a < 1)
		x = exp((log(p) + lgamma(a + 1)) / a);
	return x > 0 && x < high ? x : high / 2;
}

double gamma_quantile(double a, double p)
{
	double low = 0;
	double high = a + 1;
	double x, next, excess;

	while (gamma_below(a, high) < p)
		high *= 2;
	next = first_guess(a, p, high);
	for (int i = 0; i < 100; i++) {
		x = next;
		excess = gamma_below(a, x) - p;
		if (excess < 0)
			low = x;
		else
			high = x;
		next = x - excess / exp((a - 1) * log(x) - x - lgamma(a));
		if (!(next > low && next < high))
			next = (low + high) / 2;
		if (fabs(next - x) <= 1e-12 * x || high < a * 1e-14)
			break;
	}
	return next;
}
