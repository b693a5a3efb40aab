/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/rates.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static void expect(const struct rates *r, uint64_t since_ns, const char *text, unsigned int highest)
{
	OWNS(buffer) struct buffer got = { 0 };

	cr_expect(eq(uint, rates_since(r, since_ns, &got), highest), "since %lu", since_ns);
	cr_expect(eq(str, got.data ? got.data : "", (char *)text), "since %lu", since_ns);
}

Test(rates, tells_all_that_ran_since_then_in_order)
{
	struct rates r = { 0 };

	expect(&r, 0, "", 0);
	rates_set(&r, 99, 10);
	rates_set(&r, 4999, 20);
	rates_set(&r, 499, 30);
	rates_set(&r, 99, 40);
	expect(&r, 5, "99,499,4999", 4999);
	expect(&r, 25, "99,499,4999", 4999);
	expect(&r, 30, "99,499", 499); /* the clock left 4,999 Hz at that moment */
	expect(&r, 40, "99", 99);
	expect(&r, 1000, "99", 99);
	rates_fini(&r);
}

Test(rates, a_clock_that_stands_has_none)
{
	struct rates r = { 0 };

	rates_set(&r, 99, 10);
	rates_set(&r, 0, 20);
	expect(&r, 15, "99", 99);
	expect(&r, 20, "", 0);
	rates_set(&r, 49, 50);
	expect(&r, 20, "49", 49);
	rates_fini(&r);
}
