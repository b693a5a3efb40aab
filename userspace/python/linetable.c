/* SPDX-License-Identifier: Apache-2.0 */
#include "python/linetable.h"

#include "python/linetable_parts.h"

#define PYTHON(minor) (0x03000000u | (minor) << 16)

enum linetable_kind linetable_kind_of(uint32_t version)
{
	if (version < PYTHON(10))
		return LINETABLE_LNOTAB;
	return version < PYTHON(11) ? LINETABLE_RANGES : LINETABLE_LOCATIONS;
}

int linetable_lookup(enum linetable_kind kind, const uint8_t *table, size_t len,
		     uint32_t first_line, uint32_t instr)
{
	switch (kind) {
	case LINETABLE_LNOTAB:
		return lnotab_lookup(table, len, first_line, instr);
	case LINETABLE_RANGES:
		return ranges_lookup(table, len, first_line, instr);
	default:
		return location_lookup(table, len, first_line, instr);
	}
}

int64_t linetable_units(enum linetable_kind kind, const uint8_t *table, size_t len)
{
	switch (kind) {
	case LINETABLE_LNOTAB:
		return lnotab_units(table, len);
	case LINETABLE_RANGES:
		return ranges_units(table, len);
	default:
		return location_units(table, len);
	}
}
