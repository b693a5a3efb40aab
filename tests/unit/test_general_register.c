/* SPDX-License-Identifier: Apache-2.0 */
#include "native/general_register.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(general_register, every_part_has_the_number_of_the_whole)
{
	static const struct {
		x86_reg reg;
		int number, argument;
	} rows[] = {
		{ X86_REG_RAX, 0, 0 },	{ X86_REG_AH, 0, 0 },	 { X86_REG_RCX, 1, 4 },
		{ X86_REG_CH, 1, 4 },	{ X86_REG_DL, 2, 3 },	 { X86_REG_BX, 3, 0 },
		{ X86_REG_RSP, 4, 0 },	{ X86_REG_SPL, 4, 0 },	 { X86_REG_EBP, 5, 0 },
		{ X86_REG_SI, 6, 2 },	{ X86_REG_EDI, 7, 1 },	 { X86_REG_DIL, 7, 1 },
		{ X86_REG_R8D, 8, 5 },	{ X86_REG_R9B, 9, 6 },	 { X86_REG_R15W, 15, 0 },
		{ X86_REG_RIP, -1, 0 }, { X86_REG_XMM0, -1, 0 }, { X86_REG_INVALID, -1, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cr_expect(eq(int, general_register(rows[i].reg), rows[i].number), "row %zu", i);
		cr_expect(eq(int, general_register_argument(rows[i].number), rows[i].argument),
			  "row %zu", i);
	}
}
