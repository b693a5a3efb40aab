/* SPDX-License-Identifier: Apache-2.0 */
/* debug_table - the words of a _Py_DebugOffsets, none of which is believed. */
#ifndef SPPROF_DEBUG_TABLE_H
#define SPPROF_DEBUG_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct debug_table {
	const uint8_t *data;
	size_t len;
	bool is_bad; /* sticky: something was not there, or did not fit */
};

/* The word at @place, which must be no more than @most. */
static inline uint64_t debug_table_value(struct debug_table *t, uint16_t place, uint64_t most)
{
	uint64_t value;

	if (place + sizeof(value) > t->len) {
		t->is_bad = true;
		return 0;
	}
	memcpy(&value, t->data + place, sizeof(value));
	if (value > most)
		t->is_bad = true;
	return value;
}

#endif
