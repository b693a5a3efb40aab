/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes are a table: a line or none for each unit it covers, and nothing beyond. */
#include "python/linetable.h"

#include <errno.h>
#include <stdlib.h>

#define MOST_LOOKUPS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void try_lines(enum linetable_kind kind, const uint8_t *data, size_t len)
{
	int64_t units = linetable_units(kind, data, len);

	if (units < 0 && units != -EBADMSG)
		abort();
	for (uint32_t i = 0; i < MOST_LOOKUPS; i++) {
		int line = linetable_lookup(kind, data, len, 1, i);

		if (line < 0 && line != -EBADMSG)
			abort();
		if (kind != LINETABLE_LNOTAB && units >= 0 && i >= units && line != -EBADMSG)
			abort();
	}
}

static void try_positions(const uint8_t *data, size_t len)
{
	for (uint32_t i = 0; i < MOST_LOOKUPS; i++) {
		int line = linetable_lookup(LINETABLE_LOCATIONS, data, len, 1, i);
		struct linetable_position at;
		int err = linetable_position(data, len, 1, i, &at);

		if (err ? line != err : line != at.line)
			abort();
		if (!err && (at.end_line < at.line || at.column < -1 || at.end_column < -1))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	try_lines(LINETABLE_LNOTAB, data, len);
	try_lines(LINETABLE_RANGES, data, len);
	try_lines(LINETABLE_LOCATIONS, data, len);
	try_positions(data, len);
	return 0;
}
