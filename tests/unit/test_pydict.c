/* SPDX-License-Identifier: Apache-2.0 */
#include "python/pydict.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

static int decode(enum pydict_kind kind, const uint64_t words[5], struct pydict_keys *out)
{
	uint8_t head[PYDICT_HEAD_BYTES];

	memcpy(head, words, sizeof(head));
	return pydict_decode_keys(head, kind, out);
}

Test(pydict, keys_are_behind_the_slots)
{
	static const struct {
		enum pydict_kind kind;
		uint64_t words[5];
		uint32_t first, count;
		uint16_t stride, key;
	} rows[] = {
		{ PYDICT_SIZED, { 1, 8, 0, 2, 3 }, 48, 3, 24, 8 },
		{ PYDICT_SIZED, { 1, 128, 0, 0, 85 }, 168, 85, 24, 8 },
		{ PYDICT_SIZED, { 1, 256, 0, 0, 170 }, 552, 170, 24, 8 },
		{ PYDICT_SIZED, { 1, 65536, 0, 0, 9 }, 40 + 4 * 65536, 9, 24, 8 },
		{ PYDICT_SIZED, { 1, 1, 0, 0, 0 }, 41, 0, 24, 8 },
		{ PYDICT_LOG2, { 1, 0x000303, 2, 3 }, 40, 3, 24, 8 },
		{ PYDICT_LOG2, { 1, 0x010303, 2, 3 }, 40, 3, 16, 0 },
		{ PYDICT_LOG2, { 1, 0x020606, 26, 2 }, 96, 2, 16, 0 },
		{ PYDICT_LOG2, { 1, 0x000908, 0, 170 }, 544, 170, 24, 8 },
		{ PYDICT_LOG2,
		  { 1, 0x77000100010303, 2, 3 },
		  40,
		  3,
		  16,
		  0 }, /* a lock, a version */
		{ PYDICT_LOG2, { 1, 0x010300, 0, 0 }, 40, 0, 16, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pydict_keys keys;

		cr_assert(eq(int, decode(rows[i].kind, rows[i].words, &keys), 0), "row %zu", i);
		cr_assert(eq(u32, keys.first, rows[i].first), "row %zu", i);
		cr_assert(eq(u32, keys.count, rows[i].count), "row %zu", i);
		cr_assert(eq(u16, keys.stride, rows[i].stride), "row %zu", i);
		cr_assert(eq(u16, keys.key, rows[i].key), "row %zu", i);
	}
}

Test(pydict, keys_that_cannot_be_are_refused)
{
	static const struct {
		enum pydict_kind kind;
		uint64_t words[5];
	} rows[] = {
		{ PYDICT_SIZED, { 1, 0, 0, 0, 0 } },
		{ PYDICT_SIZED, { 1, 7, 0, 0, 1 } },
		{ PYDICT_SIZED, { 1, 8, 0, 0, 9 } },
		{ PYDICT_SIZED, { 1, 8, 0, 0, UINT64_MAX } },
		{ PYDICT_SIZED, { 1, 1ull << 63, 0, 0, 1 } },
		{ PYDICT_LOG2, { 1, 0x000302, 0, 5 } },
		{ PYDICT_LOG2, { 1, 0x030303, 0, 1 } },
		{ PYDICT_LOG2, { 1, 0x000203, 0, 1 } },
		{ PYDICT_LOG2, { 1, 0x000703, 0, 1 } },
		{ PYDICT_LOG2, { 1, 0x004040, 0, 1 } },
		{ PYDICT_LOG2, { 1, 0x000303, 0, UINT64_MAX } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pydict_keys keys;

		cr_assert(eq(int, decode(rows[i].kind, rows[i].words, &keys), -EBADMSG), "row %zu",
			  i);
	}
}

Test(pydict, an_int_is_its_digits)
{
	static const struct {
		enum pydict_int kind;
		uint64_t size;
		uint32_t digits[2];
		int err;
		uint64_t value;
	} rows[] = {
		{ PYDICT_INT_SIZE, 0, { 9, 9 }, 0, 0 },
		{ PYDICT_INT_SIZE, 1, { 7, 9 }, 0, 7 },
		{ PYDICT_INT_SIZE, 2, { 7, 3 }, 0, 3ull << 30 | 7 },
		{ PYDICT_INT_SIZE, 3, { 7, 3 }, -ERANGE, 0 },
		{ PYDICT_INT_SIZE, UINT64_MAX, { 7, 3 }, -ERANGE, 0 },
		{ PYDICT_INT_SIZE, 1, { 1u << 30, 0 }, -EBADMSG, 0 },
		{ PYDICT_INT_TAG, 1, { 9, 9 }, 0, 0 },
		{ PYDICT_INT_TAG, 1 << 3, { 7, 9 }, 0, 7 },
		{ PYDICT_INT_TAG, 1 << 3 | 4, { 7, 9 }, 0, 7 },
		{ PYDICT_INT_TAG, 2 << 3, { 7, 3 }, 0, 3ull << 30 | 7 },
		{ PYDICT_INT_TAG, 2 << 3 | 2, { 7, 3 }, -ERANGE, 0 },
		{ PYDICT_INT_TAG, 3 << 3, { 7, 3 }, -ERANGE, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t value = 0;
		int err = pydict_decode_int(rows[i].size, rows[i].digits, rows[i].kind, &value);

		cr_assert(eq(int, err, rows[i].err), "row %zu", i);
		cr_assert(eq(u64, value, rows[i].value), "row %zu", i);
	}
}
