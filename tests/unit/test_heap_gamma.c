/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/gamma.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <math.h>

/* Garwood's limits of a count: half of a quantile of chi-square, as any table of it has them. */
static struct row {
	double shape;
	double share;
	double quantile;
} rows[] = {
	{ 1, 0.025, 0.02531781 },   { 1, 0.975, 3.68887945 },	{ 2, 0.025, 0.24220928 },
	{ 2, 0.975, 5.57164339 },   { 6, 0.975, 11.66833208 },	{ 10, 0.025, 4.79538870 },
	{ 11, 0.975, 18.39035613 }, { 20, 0.025, 12.21651959 }, { 21, 0.975, 30.88837790 },
};

ParameterizedTestParameters(heap_gamma, quantile_is_the_one_of_the_tables)
{
	return cr_make_param_array(struct row, rows, sizeof(rows) / sizeof(*rows));
}

ParameterizedTest(struct row *r, heap_gamma, quantile_is_the_one_of_the_tables)
{
	cr_expect(lt(dbl, fabs(gamma_quantile(r->shape, r->share) - r->quantile), 1e-6),
		  "%g %g: %.9g", r->shape, r->share, gamma_quantile(r->shape, r->share));
}

/* Shape 1: the exponential distribution. */
Test(heap_gamma, share_below_is_right_on_both_sides_of_the_mean)
{
	for (double x = 0.01; x < 30; x *= 1.5)
		cr_expect(lt(dbl, fabs(gamma_below(1, x) + expm1(-x)), 1e-14), "%g", x);
	cr_expect(eq(dbl, gamma_below(1, 0), 0));
}

Test(heap_gamma, quantile_undoes_the_share_below_for_any_shape)
{
	static const double shapes[] = { 0.1, 0.9, 1, 3.3, 19.9, 400, 1e6 };
	static const double shares[] = { 0.001, 0.025, 0.4, 0.6, 0.975, 0.999 };

	for (int i = 0; i < 7; i++)
		for (int j = 0; j < 6; j++) {
			double got = gamma_below(shapes[i], gamma_quantile(shapes[i], shares[j]));

			cr_expect(lt(dbl, fabs(got - shares[j]), 1e-9), "%g %g: %g", shapes[i],
				  shares[j], got);
		}
}

Test(heap_gamma, next_to_nothing_has_a_quantile_of_nothing)
{
	cr_expect(lt(dbl, gamma_quantile(1e-17, 0.975), 1e-12));
	cr_expect(ge(dbl, gamma_quantile(1e-17, 0.025), 0));
}
