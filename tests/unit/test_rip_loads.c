/* SPDX-License-Identifier: Apache-2.0 */
#include "native/rip_loads.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define AT 0x401000ull
#define ROOM 4

Test(rip_loads, operands_are_counted_from_the_instructions_end)
{
	static const struct {
		uint8_t code[24];
		size_t len, count;
		uint64_t loads[ROOM];
	} rows[] = {
		/* mov rdi, [rip+0x100] ; jmp [rip-0x10] */
		{ { 0x48, 0x8b, 0x3d, 0, 1, 0, 0, 0xff, 0x25, 0xf0, 0xff, 0xff, 0xff },
		  13,
		  2,
		  { AT + 7 + 0x100, AT + 13 - 0x10 } },
		/* call [rip+0] ; cmp [rip+8], rax ; cmp rax, [rip+8] */
		{ { 0xff, 0x15, 0, 0, 0, 0, 0x48, 0x39, 5, 8, 0, 0, 0, 0x48, 0x3b, 5, 8, 0, 0, 0 },
		  20,
		  2,
		  { AT + 6, AT + 20 + 8 } },
		/* mov rax, [rbp+8] ; mov rax, rdi ; inc [rip+0] ; lea rax, [rip+0] */
		{ { 0x48, 0x8b, 0x45, 8,    0x48, 0x8b, 0xc7, 0xff, 5, 0,
		    0,	  0,	0,    0x48, 0x8d, 5,	0,    0,    0, 0 },
		  20,
		  0,
		  { 0 } },
		/* cut within the displacement */
		{ { 0x8b, 0x05, 1, 0, 0, 0 }, 5, 0, { 0 } },
		{ { 0x8b, 0x05, 1, 0, 0, 0 }, 6, 1, { AT + 7 } },
		{ { 0x8b }, 1, 0, { 0 } },
		{ { 0 }, 0, 0, { 0 } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t loads[ROOM];
		size_t count = rip_loads(rows[i].code, rows[i].len, AT, loads, ROOM);

		cr_assert(eq(sz, count, rows[i].count), "row %zu", i);
		for (size_t k = 0; k < count; k++)
			cr_assert(eq(u64, loads[k], rows[i].loads[k]), "row %zu", i);
	}
}

Test(rip_loads, there_is_room_for_so_many)
{
	uint8_t code[60];
	uint64_t loads[3] = { 0, 0, 7 };

	for (size_t i = 0; i < sizeof(code); i += 6) {
		static const uint8_t load[6] = { 0x8b, 0x05 };

		for (size_t k = 0; k < 6; k++)
			code[i + k] = load[k];
	}
	cr_assert(eq(sz, rip_loads(code, sizeof(code), AT, loads, 2), 2));
	cr_assert(eq(u64, loads[2], 7));
}
