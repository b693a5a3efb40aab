/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields of a protobuf message, read one by one. protobuf-c unpacks what is small; the
 * samples, which are nearly all of a file, would take ten times their size in memory.
 * Source: protobuf.dev/programming-guides/encoding
 */
#ifndef SPPROF_PPROF_WIRE_H
#define SPPROF_PPROF_WIRE_H

#include "base/cursor.h"

struct pprof_field {
	uint32_t number;
	bool is_bytes;
	bool is_fixed;	     /* 4 or 8 bytes, which no field of a pprof is */
	uint64_t value;	     /* of a number */
	struct cursor bytes; /* of anything else */
};

/* Sets @c->short_read where it ends early or is longer than 64 bits. */
static inline uint64_t pprof_take_varint(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 64 && c->at < c->end; shift += 7) {
		uint8_t byte = *c->at++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	c->short_read = true;
	return 0;
}

/* False at a field that is cut, or a group, which protobuf has given up. */
static inline bool pprof_take_field(struct cursor *c, struct pprof_field *f)
{
	uint64_t tag = pprof_take_varint(c), len = 0;

	*f = (struct pprof_field){ .number = tag >> 3 };
	if (c->short_read || !(tag >> 3) || tag >> 3 > UINT32_MAX)
		return false;
	switch (tag & 7) {
	case 0:
		f->value = pprof_take_varint(c);
		return !c->short_read;
	case 1:
		f->is_fixed = true;
		return take_bytes(c, 8);
	case 2:
		len = pprof_take_varint(c);
		f->is_bytes = true;
		f->bytes = cursor_of(c->at, 0);
		f->bytes.end += len <= cursor_left(c) ? len : 0;
		return !c->short_read && take_bytes(c, len);
	case 5:
		f->is_fixed = true;
		return take_bytes(c, 4);
	}
	return false;
}

#endif
