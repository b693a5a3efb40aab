/* SPDX-License-Identifier: Apache-2.0 */
/* Checklist C-05: the executing line. That it is CPython's: tests/tools/test_linetable.py. */
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

static const struct row location_rows[] = {
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

/* Pairs: bytes of bytecode to the next line, lines. */
static const struct row lnotab_rows[] = {
	{ "an empty table stays on the first line", { 0 }, 0, 5, 10 },
	{ "before the second line", { 4, 1 }, 2, 1, 10 },
	{ "the second line's first unit", { 4, 1 }, 2, 2, 11 },
	{ "the last line has no end", { 4, 1 }, 2, 1000, 11 },
	{ "a line may go back", { 4, 0xfe }, 2, 2, 8 },
	{ "lines beyond 127 are in several steps", { 4, 127, 0, 127, 0, 3 }, 6, 2, 267 },
	{ "units beyond 255 bytes as well", { 255, 0, 1, 1 }, 4, 127, 10 },
	{ "and then the line", { 255, 0, 1, 1 }, 4, 128, 11 },
	{ "the first instruction may be on another line", { 0, 2 }, 2, 0, 12 },
	{ "an odd table is none", { 4, 1, 2 }, 3, 0, -EBADMSG },
	{ "above line 0", { 0, 0xf5 }, 2, 0, -EBADMSG },
};

/* Pairs: bytes of bytecode, lines from the line before. */
static const struct row range_rows[] = {
	{ "the first range", { 4, 1 }, 2, 1, 11 },
	{ "the second range", { 4, 1, 2, 1 }, 4, 2, 12 },
	{ "behind the last", { 4, 1, 2, 1 }, 4, 3, -EBADMSG },
	{ "no line", { 4, 1, 2, 0x80 }, 4, 2, 0 },
	{ "no line does not change the running line", { 2, 1, 2, 0x80, 2, 1 }, 6, 2, 12 },
	{ "a range of no length moves the line", { 2, 0, 0, 127, 2, 3 }, 6, 1, 140 },
	{ "a line may go back", { 2, 5, 2, 0xfe }, 4, 1, 13 },
	{ "by no more than 127 at once", { 2, 127, 2, 0x81 }, 4, 1, 10 },
	{ "empty", { 0 }, 0, 0, -EBADMSG },
	{ "an odd table is none", { 4, 1, 2 }, 3, 0, -EBADMSG },
	{ "above line 0", { 2, 0xf5 }, 2, 0, -EBADMSG },
};

static void check_rows(enum linetable_kind kind, const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct row *r = &rows[i];
		int line = linetable_lookup(kind, r->table, r->len, FIRST_LINE, r->instr);

		cr_expect(eq(int, line, r->expect), "%s: %d", r->name, line);
	}
}

#define COUNT(rows) (sizeof(rows) / sizeof(rows[0]))

Test(linetable, every_kind_of_entry_leads_to_its_line)
{
	check_rows(LINETABLE_LOCATIONS, location_rows, COUNT(location_rows));
	check_rows(LINETABLE_RANGES, range_rows, COUNT(range_rows));
	check_rows(LINETABLE_LNOTAB, lnotab_rows, COUNT(lnotab_rows));
}

Test(linetable, a_version_has_its_kind)
{
	cr_expect(linetable_kind_of(0x030809f0) == LINETABLE_LNOTAB);
	cr_expect(linetable_kind_of(0x0309fff0) == LINETABLE_LNOTAB);
	cr_expect(linetable_kind_of(0x030a0000) == LINETABLE_RANGES);
	cr_expect(linetable_kind_of(0x030b00f0) == LINETABLE_LOCATIONS);
	cr_expect(linetable_kind_of(0x030f02f0) == LINETABLE_LOCATIONS);
}

static const struct position_row {
	const char *name;
	uint8_t table[12];
	size_t len;
	struct linetable_position expect;
} position_rows[] = {
	{ "short", { ENTRY(0, 1), 0x00 }, 2, { 10, 10, 0, 0 } },
	{ "short, with the code's share", { ENTRY(9, 1), 0x7f }, 2, { 10, 10, 79, 94 } },
	{ "one line", { ENTRY(11, 1), 80, 200 }, 3, { 11, 11, 80, 200 } },
	{ "no columns", { ENTRY(13, 1), 0x06 }, 2, { 13, 13, -1, -1 } },
	{ "long", { ENTRY(14, 1), 0x04, 0x01, 0x02, 0x43, 0x01 }, 6, { 12, 13, 1, 66 } },
	{ "long, without columns", { ENTRY(14, 1), 0x04, 0x01, 0, 0 }, 5, { 12, 13, -1, -1 } },
	{ "none", { ENTRY(15, 1) }, 1, { 0, 0, -1, -1 } },
};

Test(linetable, positions_have_columns_where_the_entry_has)
{
	for (size_t i = 0; i < COUNT(position_rows); i++) {
		const struct position_row *r = &position_rows[i];
		struct linetable_position at;

		cr_assert(eq(int, linetable_position(r->table, r->len, FIRST_LINE, 0, &at), 0),
			  "%s", r->name);
		cr_expect(eq(int, at.line, r->expect.line), "%s", r->name);
		cr_expect(eq(int, at.end_line, r->expect.end_line), "%s", r->name);
		cr_expect(eq(int, at.column, r->expect.column), "%s", r->name);
		cr_expect(eq(int, at.end_column, r->expect.end_column), "%s", r->name);
	}
}

Test(linetable, a_column_beyond_int_is_refused)
{
	static const uint8_t table[] = {
		ENTRY(14, 1), 0, 0, 1, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x03
	};
	struct linetable_position at;

	cr_expect(eq(int, linetable_position(table, sizeof(table), 1, 0, &at), -EBADMSG));
}

Test(linetable, a_line_beyond_int_is_refused)
{
	static const uint8_t table[] = { ENTRY(11, 1), 0, 0 };

	cr_expect(eq(int,
		     linetable_lookup(LINETABLE_LOCATIONS, table, sizeof(table), INT_MAX - 1, 0),
		     INT_MAX));
	cr_expect(eq(int, linetable_lookup(LINETABLE_LOCATIONS, table, sizeof(table), INT_MAX, 0),
		     -EBADMSG));
}

Test(linetable, a_line_may_be_out_of_range_on_the_way)
{
	static const uint8_t table[] = { ENTRY(13, 1), 0x29, ENTRY(13, 1), 0x2e };

	cr_expect(eq(int,
		     linetable_lookup(LINETABLE_LOCATIONS, table, sizeof(table), FIRST_LINE, 0),
		     -EBADMSG));
	cr_expect(eq(int,
		     linetable_lookup(LINETABLE_LOCATIONS, table, sizeof(table), FIRST_LINE, 1),
		     13));
}

/* Which the walk reports as SP_INSTR_BEFORE: the caller's to handle. */
Test(linetable, no_table_reaches_the_last_instruction_number)
{
	static const uint8_t table[] = { ENTRY(0, 8), 0 };

	cr_expect(eq(int,
		     linetable_lookup(LINETABLE_LOCATIONS, table, sizeof(table), 1, UINT32_MAX),
		     -EBADMSG));
}

Test(linetable, units_are_those_of_all_entries)
{
	static const uint8_t table[] = { ENTRY(0, 3), 0, ENTRY(15, 8), ENTRY(13, 1), 0x42, 0x01 };

	cr_expect(eq(i64, linetable_units(LINETABLE_LOCATIONS, table, sizeof(table)), 12));
	cr_expect(eq(i64, linetable_units(LINETABLE_LOCATIONS, table, 0), 0));
}

Test(linetable, units_of_a_damaged_table_are_not_told)
{
	static const uint8_t table[] = { ENTRY(0, 3), 0, ENTRY(13, 1), 0x42 };

	cr_expect(eq(i64, linetable_units(LINETABLE_LOCATIONS, table, sizeof(table)), -EBADMSG));
	cr_expect(eq(i64, linetable_units(LINETABLE_LOCATIONS, table, 1), -EBADMSG));
	cr_expect(eq(i64, linetable_units(LINETABLE_LOCATIONS, table + 1, 1), -EBADMSG));
}

Test(linetable, units_of_older_tables)
{
	static const uint8_t pairs[] = { 4, 1, 0, 127, 6, 0x80 }, half[] = { 3, 1 };

	cr_expect(eq(i64, linetable_units(LINETABLE_RANGES, pairs, sizeof(pairs)), 5));
	cr_expect(
		eq(i64, linetable_units(LINETABLE_LNOTAB, pairs, sizeof(pairs)), 5)); /* at least */
	cr_expect(eq(i64, linetable_units(LINETABLE_LNOTAB, pairs, 0), 0));
	cr_expect(eq(i64, linetable_units(LINETABLE_RANGES, pairs, 3), -EBADMSG));
	cr_expect(eq(i64, linetable_units(LINETABLE_RANGES, half, 2), -EBADMSG));
	cr_expect(eq(i64, linetable_units(LINETABLE_LNOTAB, pairs, 3), -EBADMSG));
}
