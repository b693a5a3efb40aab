/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of dicts' keys, as new_keys_object() of each version asks for them. */
#include "python/pydict_size.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

#define LOOKUP 0x7f0000001230ull

struct keys {
	uint64_t words[PYDICT_HEAD_BYTES / 8];
};

static struct keys sized(uint64_t slots, uint64_t usable, uint64_t used)
{
	return (struct keys){ { 1, slots, LOOKUP, usable, used } };
}

static struct keys log2ed(uint8_t log2, uint8_t log2_bytes, uint8_t kind, uint64_t usable,
			  uint64_t used)
{
	return (struct keys){ { 1, log2 | log2_bytes << 8 | kind << 16, usable, used } };
}

static int decode(const struct keys *keys, enum pydict_kind kind, struct pydict_size *out)
{
	uint8_t head[PYDICT_HEAD_BYTES];

	memcpy(head, keys, sizeof(head));
	return pydict_decode_size(head, kind, out);
}

Test(pydict_size, is_that_of_head_and_indices_and_entries)
{
	const struct {
		enum pydict_kind kind;
		struct keys keys;
		uint64_t bytes;
		uint32_t values;
	} rows[] = {
		{ PYDICT_SIZED, sized(8, 4, 1), 40 + 8 + 5 * 24, 5 },
		{ PYDICT_SIZED, sized(128, 0, 85), 40 + 128 + 85 * 24, 85 },
		{ PYDICT_SIZED, sized(256, 170, 0), 40 + 512 + 170 * 24, 170 },
		{ PYDICT_SIZED, sized(65536, 1, 1), 40 + 4 * 65536 + 43690 * 24, 43690 },
		{ PYDICT_LOG2, log2ed(3, 3, 1, 5, 0), 32 + 8 + 5 * 16, 5 },
		{ PYDICT_LOG2, log2ed(3, 3, 0, 4, 1), 32 + 8 + 5 * 24, 5 },
		{ PYDICT_LOG2, log2ed(6, 6, 2, 28, 2), 32 + 64 + 42 * 16, 30 },
		{ PYDICT_LOG2, log2ed(8, 9, 1, 0, 170), 32 + 512 + 170 * 16, 170 },
		{ PYDICT_LOG2, log2ed(16, 18, 0, 1, 1), 32 + 4 * 65536 + 43690 * 24, 2 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pydict_size size;

		cr_assert(eq(int, decode(&rows[i].keys, rows[i].kind, &size), 0), "row %zu", i);
		cr_assert(eq(u64, size.bytes, rows[i].bytes), "row %zu", i);
		cr_assert(eq(u32, size.values, rows[i].values), "row %zu", i);
	}
}

Test(pydict_size, is_not_believed_if_anything_contradicts_it)
{
	const struct {
		enum pydict_kind kind;
		struct keys keys;
	} rows[] = {
		{ PYDICT_SIZED, sized(0, 1, 1) },	{ PYDICT_SIZED, sized(4, 1, 1) },
		{ PYDICT_SIZED, sized(12, 1, 1) },	{ PYDICT_SIZED, sized(1ull << 40, 1, 1) },
		{ PYDICT_SIZED, sized(8, 6, 0) },	{ PYDICT_SIZED, sized(8, 3, 3) },
		{ PYDICT_SIZED, sized(8, 0, 0) },	{ PYDICT_SIZED, sized(8, ~0ull, 2) },
		{ PYDICT_LOG2, log2ed(2, 2, 1, 1, 1) }, { PYDICT_LOG2, log2ed(3, 4, 1, 1, 1) },
		{ PYDICT_LOG2, log2ed(8, 8, 1, 1, 1) }, { PYDICT_LOG2, log2ed(3, 3, 3, 1, 1) },
		{ PYDICT_LOG2, log2ed(3, 3, 1, 5, 1) }, { PYDICT_LOG2, log2ed(63, 66, 1, 1, 1) },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pydict_size size;

		cr_assert(eq(int, decode(&rows[i].keys, rows[i].kind, &size), -EBADMSG), "row %zu",
			  i);
	}
}

Test(pydict_size, needs_references_that_may_be_a_count)
{
	static const uint64_t counts[] = { 0, 1ull << 32, LOOKUP };

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct keys keys = log2ed(3, 3, 1, 4, 1);
		struct pydict_size size;

		keys.words[0] = counts[i];
		cr_assert(eq(int, decode(&keys, PYDICT_LOG2, &size), -EBADMSG));
	}
}

Test(pydict_size, of_values_counts_what_goes_before_them)
{
	cr_assert(eq(u64, pydict_values_bytes(5, PYDICT_SIZED), 40));
	cr_assert(eq(u64, pydict_values_bytes(1, PYDICT_LOG2), 8 + 8));
	cr_assert(eq(u64, pydict_values_bytes(6, PYDICT_LOG2), 8 + 48));
	cr_assert(eq(u64, pydict_values_bytes(7, PYDICT_LOG2), 16 + 56));
	cr_assert(eq(u64, pydict_values_bytes(30, PYDICT_LOG2), 32 + 240));
}
