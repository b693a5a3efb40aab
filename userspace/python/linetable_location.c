/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Location tables, from 3.11 on. Source: cpython/Objects/locations.md (3.11),
 * InternalDocs/code_objects.md (3.13+).
 *
 * A table is a row of entries, each for 1 to 8 code units. An entry's first byte is
 * 1cccclll: code c, l + 1 units. What follows depends on the code:
 *
 *	0-9	one byte: column 8 * c + its upper half, of as many columns as its lower half
 *		says; the line stays
 *	10-12	two bytes, column and end column; the line goes c - 10 further
 *	13	signed varint: how far the line goes
 *	14	that, then three varints: lines to the end line, column + 1, end column + 1
 *	15	nothing: these units have no line, and the line stays where it was
 *
 * A varint has six bits a byte, least first, bit 6 set if more follow; a signed one has
 * its sign in the lowest bit.
 */
#include "python/linetable_parts.h"

#include "base/cursor.h"

#include <errno.h>
#include <limits.h>

#define CODE_ONE_LINE 10
#define CODE_NO_COLUMNS 13
#define CODE_LONG 14
#define CODE_NONE 15

struct entry {
	uint32_t units;
	int64_t line_delta;
	bool has_line;
	int64_t lines;		    /* from the first to the last */
	int64_t column, end_column; /* -1: none */
};

static uint32_t take_varint(struct cursor *c)
{
	uint32_t value = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = take_byte(c);
		if (shift < 32)
			value |= (uint32_t)(byte & 0x3F) << shift;
		shift += 6;
	} while (byte & 0x40 && !c->short_read);
	return value;
}

static int64_t take_signed_varint(struct cursor *c)
{
	uint32_t value = take_varint(c);

	return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

/* The next entry; false at the end, or if what is there is none. */
static bool take_entry(struct cursor *c, struct entry *e)
{
	uint8_t first, code;

	if (!cursor_left(c))
		return false;
	first = take_byte(c);
	if (!(first & 0x80)) {
		c->short_read = true; /* we are not at an entry's start */
		return false;
	}
	code = first >> 3 & 15;
	*e = (struct entry){
		.units = (first & 7) + 1,
		.has_line = code != CODE_NONE,
		.column = -1,
		.end_column = -1,
	};
	if (code < CODE_ONE_LINE) {
		uint8_t columns = take_byte(c);

		e->column = code << 3 | columns >> 4;
		e->end_column = e->column + (columns & 15);
	} else if (code < CODE_NO_COLUMNS) {
		e->line_delta = code - CODE_ONE_LINE;
		e->column = take_byte(c);
		e->end_column = take_byte(c);
	} else if (code < CODE_NONE) {
		e->line_delta = take_signed_varint(c);
	}
	if (code == CODE_LONG) {
		e->lines = take_varint(c);
		e->column = (int64_t)take_varint(c) - 1;
		e->end_column = (int64_t)take_varint(c) - 1;
	}
	return !c->short_read;
}

static bool fits(int64_t value)
{
	return value >= 0 && value <= INT_MAX;
}

/* What an entry whose first line is @line says. 0, or -EBADMSG. */
static int position_of(const struct entry *e, int64_t line, struct linetable_position *out)
{
	if (!e->has_line) {
		*out = (struct linetable_position){ .column = -1, .end_column = -1 };
		return 0;
	}
	if (!fits(line) || !fits(line + e->lines) || e->column > INT_MAX || e->end_column > INT_MAX)
		return -EBADMSG;
	*out = (struct linetable_position){
		.line = line,
		.end_line = line + e->lines,
		.column = e->column,
		.end_column = e->end_column,
	};
	return 0;
}

int linetable_position(const uint8_t *table, size_t len, uint32_t first_line, uint32_t instr,
		       struct linetable_position *out)
{
	struct cursor c = cursor_of(table, len);
	int64_t line = first_line;
	uint64_t unit = 0;
	struct entry e;

	while (take_entry(&c, &e)) {
		line += e.line_delta;
		unit += e.units;
		if (unit > instr)
			return position_of(&e, line, out);
	}
	return -EBADMSG;
}

int location_lookup(const uint8_t *table, size_t len, uint32_t first_line, uint32_t instr)
{
	struct linetable_position position;
	int err = linetable_position(table, len, first_line, instr, &position);

	return err ? err : position.line;
}

int64_t location_units(const uint8_t *table, size_t len)
{
	struct cursor c = cursor_of(table, len);
	int64_t units = 0;
	struct entry e;

	while (take_entry(&c, &e))
		units += e.units;
	return c.short_read ? -EBADMSG : units;
}
