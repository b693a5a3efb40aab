/* SPDX-License-Identifier: Apache-2.0 */
/*
 * co_lnotab, up to 3.9: pairs of bytes, how far the next line is in bytes of bytecode and,
 * signed, in lines. The table ends with the start of the last line: what follows is on it.
 * Source: cpython v3.9.0 Objects/lnotab_notes.txt.
 */
#include "python/linetable_parts.h"

#include <errno.h>
#include <limits.h>

#define UNIT_BYTES 2

int lnotab_lookup(const uint8_t *table, size_t len, uint32_t first_line, uint32_t instr)
{
	uint64_t wanted = (uint64_t)instr * UNIT_BYTES, start = 0;
	int64_t line = first_line;

	if (len % 2)
		return -EBADMSG;
	for (size_t i = 0; i < len; i += 2) {
		start += table[i];
		if (start > wanted)
			break;
		line += (int8_t)table[i + 1];
	}
	return line >= 0 && line <= INT_MAX ? line : -EBADMSG;
}

int64_t lnotab_units(const uint8_t *table, size_t len)
{
	int64_t start = 0;

	if (len % 2)
		return -EBADMSG;
	for (size_t i = 0; i < len; i += 2)
		start += table[i];
	return start / UNIT_BYTES;
}
