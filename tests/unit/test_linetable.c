/* SPDX-License-Identifier: Apache-2.0 */
/* Checklist C-05: the executing line. */
#include "python/linetable.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <limits.h>

#define FIRST_LINE 10

/* First byte of an entry of @code for @units code units. */
#define ENTRY(code, units) (0x80 | (code) << 3 | ((units)-1))

struct row {
	const char *name;
	uint8_t table[12];
	size_t len;
	uint32_t instr;
	int expect;
};

static const struct row rows[] = {
	{ "a short entry stays on the line", { ENTRY(0, 1), 0 }, 2, 0, 10 },
	{ "the last of eight units", { ENTRY(9, 8), 0 }, 2, 7, 10 },
	{ "one unit too far", { ENTRY(9, 8), 0 }, 2, 8, -EBADMSG },
	{ "code 10 stays on the line", { ENTRY(10, 1), 0, 0 }, 3, 0, 10 },
	{ "code 11 goes one line on", { ENTRY(11, 1), 0, 0 }, 3, 0, 11 },
	{ "code 12 goes two lines on", { ENTRY(12, 1), 0, 0 }, 3, 0, 12 },
	{ "without columns, forwards", { ENTRY(13, 1), 0x06 }, 2, 0, 13 },
	{ "line may go back", { ENTRY(13, 1), 0x07 }, 2, 0, 7 },
	{ "least significant bits come first", { ENTRY(13, 1), 0x42, 0x01 }, 3, 0, 43 },
	{ "back by a long way", { ENTRY(12, 1), 0, 0, ENTRY(13, 1), 0x55, 0x00 }, 6, 1, 2 },
	{ "a long entry has three more", { ENTRY(14, 1), 0x04, 0x01, 0x02, 0x43, 0x01 }, 6, 0, 12 },
	{ "no line", { ENTRY(15, 2) }, 1, 1, 0 },
	{ "no line does not change the running line",
	  { ENTRY(12, 1), 0, 0, ENTRY(15, 3), ENTRY(11, 1), 0, 0 },
	  7,
	  4,
	  13 },
	{ "the second entry starts after the first's units",
	  { ENTRY(0, 3), 0, ENTRY(11, 1), 0, 0 },
	  5,
	  3,
	  11 },
	{ "the first entry ends before the second", { ENTRY(0, 3), 0, ENTRY(11, 1) }, 3, 2, 10 },
	{ "empty", { 0 }, 0, 0, -EBADMSG },
	{ "cut before the columns", { ENTRY(0, 1) }, 1, 0, -EBADMSG },
	{ "cut in the columns", { ENTRY(11, 1), 0 }, 2, 0, -EBADMSG },
	{ "cut in a varint", { ENTRY(13, 1), 0x46 }, 2, 0, -EBADMSG },
	{ "cut after the line of a long entry", { ENTRY(14, 1), 0x06, 0, 0 }, 4, 0, -EBADMSG },
	{ "an entry must start with its bit", { 0x08, 0 }, 2, 0, -EBADMSG },
	{ "a module starts on line 0", { ENTRY(13, 1), 10 << 1 | 1 }, 2, 0, 0 },
	{ "above line 0", { ENTRY(13, 1), 11 << 1 | 1 }, 2, 0, -EBADMSG },
	{ "an endless varint",
	  { ENTRY(13, 1), 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f },
	  12,
	  0,
	  -EBADMSG },
};

static void check_lookup(const struct row *r)
{
	int line = linetable_lookup(r->table, r->len, FIRST_LINE, r->instr);

	cr_expect(eq(int, line, r->expect), "%s: %d", r->name, line);
}

Test(linetable, every_kind_of_entry_leads_to_its_line)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_lookup(&rows[i]);
}

Test(linetable, a_line_beyond_int_is_refused)
{
	static const uint8_t table[] = { ENTRY(11, 1), 0, 0 };

	cr_expect(eq(int, linetable_lookup(table, sizeof(table), INT_MAX - 1, 0), INT_MAX));
	cr_expect(eq(int, linetable_lookup(table, sizeof(table), INT_MAX, 0), -EBADMSG));
}

Test(linetable, a_line_may_be_out_of_range_on_the_way)
{
	static const uint8_t table[] = { ENTRY(13, 1), 0x29, ENTRY(13, 1), 0x2e };

	cr_expect(eq(int, linetable_lookup(table, sizeof(table), FIRST_LINE, 0), -EBADMSG));
	cr_expect(eq(int, linetable_lookup(table, sizeof(table), FIRST_LINE, 1), 13));
}

/* Which the walk reports as SP_INSTR_BEFORE: the caller's to handle. */
Test(linetable, no_table_reaches_the_last_instruction_number)
{
	static const uint8_t table[] = { ENTRY(0, 8), 0 };

	cr_expect(eq(int, linetable_lookup(table, sizeof(table), 1, UINT32_MAX), -EBADMSG));
}

Test(linetable, units_are_those_of_all_entries)
{
	static const uint8_t table[] = { ENTRY(0, 3), 0, ENTRY(15, 8), ENTRY(13, 1), 0x42, 0x01 };

	cr_expect(eq(i64, linetable_units(table, sizeof(table)), 12));
	cr_expect(eq(i64, linetable_units(table, 0), 0));
}

Test(linetable, units_of_a_damaged_table_are_not_told)
{
	static const uint8_t table[] = { ENTRY(0, 3), 0, ENTRY(13, 1), 0x42 };

	cr_expect(eq(i64, linetable_units(table, sizeof(table)), -EBADMSG));
	cr_expect(eq(i64, linetable_units(table, 1), -EBADMSG));
	cr_expect(eq(i64, linetable_units(table + 1, 1), -EBADMSG));
}
