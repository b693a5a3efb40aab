/* SPDX-License-Identifier: Apache-2.0 */
/* What a pprof looks like from outside: fields of a Profile, one after the other. */
#include "base/cursor.h"
#include "import/pprof.h"
#include "import/pprof_wire.h"

#define LOOK_BYTES 4096
#define LOOK_FIELDS 16

/* By the number of the field, as profile.proto has them. */
static bool has_right_type(const struct pprof_field *f)
{
	static const uint16_t of_bytes =
		1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 11 | 1 << 13;
	static const uint16_t of_numbers =
		1 << 7 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 12 | 1 << 13 | 1 << 14 | 1 << 15;

	if (f->number > 15 || f->is_fixed)
		return false;
	return (f->is_bytes ? of_bytes : of_numbers) >> f->number & 1;
}

static bool is_text(const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len && i < LOOK_BYTES; i++)
		if (data[i] < 0x20 && data[i] != '\n' && data[i] != '\t' && data[i] != '\r')
			return false;
	return true;
}

bool pprof_may_be_it(const void *data, size_t len)
{
	struct cursor c = cursor_of(data, len);
	struct pprof_field field;

	if (is_text(data, len))
		return false;
	for (int i = 0; i < LOOK_FIELDS && cursor_left(&c); i++) {
		if (!pprof_take_field(&c, &field))
			return i > 0; /* cut: reading it will tell */
		if (!has_right_type(&field))
			return false;
	}
	return true;
}
