/* SPDX-License-Identifier: Apache-2.0 */
/* Where objects begin, and what may be a type, version by version. */
#include "python/object_shape.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

#define HIGH 0x555555554000ull
#define WEAKREF (1u << 3)
#define READY OBJECT_TYPE_READY
#define GC OBJECT_TYPE_HAS_GC
#define DICT OBJECT_TYPE_MANAGED_DICT

/* Of a PyTypeObject of a build with a GIL. */
enum { TYPE = 8, NAME = 24, BASICSIZE = 32, ITEMSIZE = 40, FLAGS = 168, SIZE = 512 };

static int find(unsigned int minor, bool has_debug_hooks, struct object_shape *out)
{
	struct sp_pylayout python = { .version = 3u << 24 | minor << 16, .ascii_size = 40 };
	struct pynames_layout at = { .object_type = 8,
				     .object_size = 16,
				     .type_basicsize = BASICSIZE,
				     .type_flags = FLAGS };

	return object_shape_find(&python, &at, HIGH, has_debug_hooks, out);
}

struct type {
	uint64_t words[SIZE / 8];
};

static struct type type_of(uint64_t flags, uint64_t basicsize)
{
	struct type t = { { 0 } };

	t.words[TYPE / 8] = HIGH;
	t.words[NAME / 8] = HIGH + 64;
	t.words[BASICSIZE / 8] = basicsize;
	t.words[FLAGS / 8] = flags;
	return t;
}

static int decode(const struct object_shape *s, const struct type *type, struct object_type *out)
{
	uint8_t bytes[OBJECT_SHAPE_TYPE_BYTES];

	memcpy(bytes, type, sizeof(bytes));
	return object_shape_decode_type(s, bytes, out);
}

Test(object_shape, object_begins_behind_what_its_type_has_before_it)
{
	static const struct {
		unsigned int minor;
		uint64_t flags;
		uint16_t start;
	} rows[] = {
		{ 8, 0, 0 },
		{ 8, GC, 16 },
		{ 10, GC | DICT, 16 },
		{ 11, GC, 16 },
		{ 11, GC | DICT, 32 },
		{ 11, GC | WEAKREF, 16 },
		{ 12, GC, 16 },
		{ 12, GC | WEAKREF, 32 },
		{ 12, GC | DICT | WEAKREF, 32 },
		{ 15, GC | DICT, 32 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (int hooks = 0; hooks < 2; hooks++) {
			struct type type = type_of(READY | rows[i].flags, 48);
			struct object_shape s;
			struct object_type found;
			bool is_among = false;

			cr_assert(eq(int, find(rows[i].minor, hooks, &s), 0));
			cr_assert(eq(int, decode(&s, &type, &found), 0));
			cr_assert(eq(u32, found.start, rows[i].start + 16 * hooks), "row %zu", i);
			cr_assert(eq(u32, found.least, found.start + 48u), "row %zu", i);
			for (unsigned int j = 0; j < s.start_count; j++)
				is_among |= s.starts[j] == found.start;
			cr_assert(is_among, "row %zu", i);
		}
}

Test(object_shape, str_may_be_shorter_than_its_type_says_but_not_one_of_a_subclass)
{
	struct type text = type_of(READY | OBJECT_TYPE_IS_TEXT, 64);
	struct type subclass = type_of(READY | OBJECT_TYPE_IS_TEXT | OBJECT_TYPE_ON_HEAP, 64);
	struct object_shape s;
	struct object_type found;

	cr_assert(eq(int, find(12, false, &s), 0));
	cr_assert(eq(int, decode(&s, &text, &found), 0));
	cr_assert(eq(u32, found.least, 41));
	cr_assert(eq(int, decode(&s, &subclass, &found), 0));
	cr_assert(eq(u32, found.least, 64));
}

Test(object_shape, what_contradicts_itself_is_no_type)
{
	static const struct {
		size_t offset;
		uint64_t value;
	} rows[] = {
		{ TYPE, 0 },	     { NAME, 0 },   { BASICSIZE, 15 }, { BASICSIZE, 1ull << 40 },
		{ ITEMSIZE, ~0ull }, { FLAGS, GC }, /* not ready */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct type type = type_of(READY, 16);
		struct object_shape s;
		struct object_type found;

		cr_assert(eq(int, find(11, false, &s), 0));
		cr_assert(eq(int, decode(&s, &type, &found), 0));
		type.words[rows[i].offset / 8] = rows[i].value;
		cr_assert(eq(int, decode(&s, &type, &found), -EBADMSG), "row %zu", i);
	}
}

Test(object_shape, offsets_that_a_process_made_up_are_refused)
{
	static const struct pynames_layout rows[] = {
		{ .object_type = 248, .object_size = 16 },
		{ .object_type = 8, .object_size = 12 },
		{ .object_type = 0, .object_size = 16 },
		{ .object_type = 40, .object_size = 48 },
	};
	static const struct sp_pylayout python = { .version = 0x030d00f0 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct object_shape s;

		cr_assert(eq(int, object_shape_find(&python, &rows[i], HIGH, false, &s), -EBADMSG),
			  "row %zu", i);
	}
}

Test(object_shape, fields_of_types_lie_in_what_is_read_of_them)
{
	static const uint16_t rows[][2] = { { 0, FLAGS }, { 504, FLAGS }, { BASICSIZE, 416 } };
	struct type type = type_of(READY, 16);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct object_shape s;
		struct object_type found;

		cr_assert(eq(int, find(14, false, &s), 0));
		s.type_basicsize = rows[i][0];
		s.type_flags = rows[i][1];
		cr_assert(eq(int, decode(&s, &type, &found), -EBADMSG), "row %zu", i);
	}
}
