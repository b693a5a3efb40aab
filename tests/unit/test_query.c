/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/query.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>

struct number_row {
	char text[24];
	uint64_t least, most;
	int err;
	uint64_t value;
};

static struct number_row numbers[] = {
	{ "1", 1, 10, 0, 1 },
	{ "10", 1, 10, 0, 10 },
	{ "11", 1, 10, -EINVAL, 0 },
	{ "0", 1, 10, -EINVAL, 0 },
	{ "-1", 0, 10, -EINVAL, 0 },
	{ "+1", 0, 10, -EINVAL, 0 },
	{ " 1", 0, 10, -EINVAL, 0 },
	{ "1 ", 0, 10, -EINVAL, 0 },
	{ "0x1", 0, 10, -EINVAL, 0 },
	{ "", 0, 10, -EINVAL, 0 },
	{ "18446744073709551617", 0, UINT64_MAX, -EINVAL, 0 },
};

static void expect_a_number_is_digits_within_its_bounds(struct number_row *row)
{
	uint64_t value = 0;

	cr_expect(eq(int, query_number(row->text, row->least, row->most, &value), row->err), "'%s'",
		  row->text);
	cr_expect(eq(u64, value, row->value), "'%s'", row->text);
}

Test(query, a_number_is_digits_within_its_bounds)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		expect_a_number_is_digits_within_its_bounds(&numbers[i]);
}

Test(query, no_number_is_none)
{
	uint64_t value;

	cr_expect(eq(int, query_number(NULL, 0, 10, &value), -EINVAL));
}

Test(query, a_pid_is_within_the_kernels_limit)
{
	pid_t pid;

	cr_expect(eq(int, query_pid("4194304", &pid), 0));
	cr_expect(eq(int, query_pid("4194305", &pid), -EINVAL));
	cr_expect(eq(int, query_pid("0", &pid), -EINVAL));
}
