/* SPDX-License-Identifier: Apache-2.0 */
#include "native/eh_frame.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define INDEX 0x402000
#define ENTRY 0x403000

Test(eh_frame, head)
{
	static const struct {
		char name[40];
		uint8_t head[EH_FRAME_HEAD_BYTES];
		uint32_t rows;
	} rows[] = {
		{ "as linkers write it", { 1, 0x1b, 3, 0x3b, 9, 9, 9, 9, 5, 1, 0, 0 }, 0x105 },
		{ "another version", { 2, 0x1b, 3, 0x3b, 0, 0, 0, 0, 5, 0, 0, 0 }, 0 },
		{ "rows of 8 bytes an address", { 1, 0x1b, 3, 0x3c, 0, 0, 0, 0, 5, 0, 0, 0 }, 0 },
		{ "rows that are not counted", { 1, 0x1b, 0xff, 0x3b, 0, 0, 0, 0, 5, 0, 0, 0 }, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect(eq(u32, eh_frame_rows(rows[i].head), rows[i].rows), "%s", rows[i].name);
}

Test(eh_frame, a_row_is_relative_to_the_index)
{
	static const uint8_t row[EH_FRAME_ROW_BYTES] = { 0, 0xf0, 0xff, 0xff, 0, 0x10, 0, 0 };
	uint64_t start, entry;

	eh_frame_row(row, INDEX, &start, &entry);
	cr_expect(eq(u64, start, INDEX - 0x1000));
	cr_expect(eq(u64, entry, INDEX + 0x1000));
}

Test(eh_frame, an_entry_is_relative_to_itself_and_must_be_that_functions)
{
	static const struct {
		char name[24];
		uint8_t entry[EH_FRAME_ENTRY_BYTES];
		uint64_t start;
		uint32_t bytes;
	} rows[] = {
		{ "function",
		  { 20, 0, 0, 0, 28, 0, 0, 0, 0xf8, 0xef, 0xff, 0xff, 0x34, 0x12, 0, 0 },
		  ENTRY - 0x1000,
		  0x1234 },
		{ "another function",
		  { 20, 0, 0, 0, 28, 0, 0, 0, 0xf8, 0xef, 0xff, 0xff, 0x34, 0x12, 0, 0 },
		  ENTRY - 0x1001,
		  0 },
		{ "the common part",
		  { 20, 0, 0, 0, 0, 0, 0, 0, 0xf8, 0xef, 0xff, 0xff, 0x34, 0x12, 0, 0 },
		  ENTRY - 0x1000,
		  0 },
		{ "the end",
		  { 0, 0, 0, 0, 28, 0, 0, 0, 0xf8, 0xef, 0xff, 0xff, 0x34, 0x12, 0, 0 },
		  ENTRY - 0x1000,
		  0 },
		{ "of 64 bits",
		  { 0xff, 0xff, 0xff, 0xff, 28, 0, 0, 0, 0xf8, 0xef, 0xff, 0xff, 0x34, 0x12, 0, 0 },
		  ENTRY - 0x1000,
		  0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect(
			eq(u32, eh_frame_bytes(rows[i].entry, ENTRY, rows[i].start), rows[i].bytes),
			"%s", rows[i].name);
}
