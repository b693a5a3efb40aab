/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table is a row of entries, each for 1 to 8 code units. An entry's first byte is
 * 1cccclll: code c, l + 1 units. What follows depends on the code:
 *
 *	0-9	one byte of columns; the line stays
 *	10-12	two bytes of columns; the line goes c - 10 further
 *	13	signed varint: how far the line goes
 *	14	that, then three varints: end line, column, end column
 *	15	nothing: these units have no line, and the line stays where it was
 *
 * A varint has six bits a byte, least first, bit 6 set if more follow; a signed one has
 * its sign in the lowest bit.
 */
#include "python/linetable.h"

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
	*e = (struct entry){ .units = (first & 7) + 1, .has_line = code != CODE_NONE };
	if (code < CODE_ONE_LINE) {
		take_byte(c);
	} else if (code < CODE_NO_COLUMNS) {
		e->line_delta = code - CODE_ONE_LINE;
		take_bytes(c, 2);
	} else if (code < CODE_NONE) {
		e->line_delta = take_signed_varint(c);
		for (int i = 0; code == CODE_LONG && i < 3; i++)
			take_varint(c);
	}
	return !c->short_read;
}

int linetable_lookup(const uint8_t *table, size_t len, uint32_t first_line, uint32_t instr)
{
	struct cursor c = cursor_of(table, len);
	int64_t line = first_line;
	uint64_t unit = 0;
	struct entry e;

	while (take_entry(&c, &e)) {
		line += e.line_delta;
		unit += e.units;
		if (unit <= instr)
			continue;
		if (!e.has_line)
			return 0;
		return line >= 0 && line <= INT_MAX ? line : -EBADMSG;
	}
	return -EBADMSG;
}

int64_t linetable_units(const uint8_t *table, size_t len)
{
	struct cursor c = cursor_of(table, len);
	int64_t units = 0;
	struct entry e;

	while (take_entry(&c, &e))
		units += e.units;
	return c.short_read ? -EBADMSG : units;
}
