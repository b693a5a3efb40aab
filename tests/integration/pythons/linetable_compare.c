/* SPDX-License-Identifier: Apache-2.0 */
/* Called by linetable_inside.py, once a code object: our reading of a table beside Python's. */
#include "python/linetable.h"

#include <string.h>

uint32_t compare_lines(uint32_t version, const uint8_t *table, size_t len, uint32_t first_line,
		       const int *lines, uint32_t units)
{
	enum linetable_kind kind = linetable_kind_of(version);
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < units; i++)
		wrong += linetable_lookup(kind, table, len, first_line, i) != lines[i];
	return wrong;
}

/* @positions: line, end line, column, end column of each unit, as linetable.h has them. */
uint32_t compare_positions(const uint8_t *table, size_t len, uint32_t first_line,
			   const struct linetable_position *positions, uint32_t units)
{
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < units; i++) {
		struct linetable_position at;
		int err = linetable_position(table, len, first_line, i, &at);

		wrong += err || memcmp(&at, &positions[i], sizeof(at));
	}
	return wrong;
}
