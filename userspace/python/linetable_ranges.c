/* SPDX-License-Identifier: Apache-2.0 */
/*
 * co_linetable of 3.10: pairs of bytes, each a range: how long it is in bytes of bytecode,
 * and, signed, how far its line is from the line before; -128: it has none, and the line
 * stays where it was. A range of no length only moves the line.
 * Source: cpython v3.10.0 Objects/lnotab_notes.txt.
 */
#include "python/linetable_parts.h"

#include <errno.h>
#include <limits.h>

#define UNIT_BYTES 2
#define NO_LINE (-128)

int ranges_lookup(const uint8_t *table, size_t len, uint32_t first_line, uint32_t instr)
{
	uint64_t wanted = (uint64_t)instr * UNIT_BYTES, end = 0;
	int64_t line = first_line;

	if (len % 2)
		return -EBADMSG;
	for (size_t i = 0; i < len; i += 2) {
		int8_t delta = table[i + 1];

		end += table[i];
		if (delta != NO_LINE)
			line += delta;
		if (end <= wanted)
			continue;
		if (delta == NO_LINE)
			return 0;
		return line >= 0 && line <= INT_MAX ? line : -EBADMSG;
	}
	return -EBADMSG;
}

int64_t ranges_units(const uint8_t *table, size_t len)
{
	int64_t end = 0;

	if (len % 2)
		return -EBADMSG;
	for (size_t i = 0; i < len; i += 2)
		end += table[i];
	return end % UNIT_BYTES ? -EBADMSG : end / UNIT_BYTES;
}
