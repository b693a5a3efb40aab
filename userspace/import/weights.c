/* SPDX-License-Identifier: Apache-2.0 */
#include "import/weights.h"

#include <math.h>

#define LARGEST_SUM 9e18 /* a little less than 2^63: the sum is in floating point */

void weights_see_position(struct weights *w, const struct decimal *d, int power)
{
	int decimals = d->digits ? -(d->exponent + power) : 0;

	w->is_rounded |= d->is_rounded || decimals > WEIGHTS_MOST_DECIMALS;
	if (decimals > WEIGHTS_MOST_DECIMALS)
		decimals = WEIGHTS_MOST_DECIMALS;
	if (decimals > w->decimals)
		w->decimals = decimals;
}

void weights_see(struct weights *w, const struct decimal *d, int power)
{
	weights_see_position(w, d, power);
	if (d->exponent == 0 && power == 0)
		w->sum += fabs((double)d->digits);
	else
		w->sum += fabs(decimal_value(d)) * pow(10, power);
}

int weights_settle(struct weights *w, struct profile *p, struct buffer *why)
{
	for (; w->sum * pow(10, w->decimals) > LARGEST_SUM && w->decimals > 0; w->decimals--)
		w->is_rounded = true;
	if (w->sum > LARGEST_SUM)
		return import_refuse(why, -E2BIG, "the weights are more than 2^63 in sum");
	if (w->is_rounded)
		buffer_print(why, "weights are rounded to %d decimals", w->decimals);
	profile_about(p)->decimals = w->decimals;
	return 0;
}

int64_t weights_fixed(const struct weights *w, const struct decimal *d, int power)
{
	int64_t fixed = 0;

	if (!decimal_scale(d, w->decimals + power, &fixed))
		return d->digits < 0 ? INT64_MIN : INT64_MAX;
	return fixed;
}
