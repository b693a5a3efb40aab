/* SPDX-License-Identifier: Apache-2.0 */
/* Source: Intel SDM, volume 2, table 2-2; System V ABI of x86-64, 3.2.3. */
#include "native/general_register.h"

#define WIDTHS 5

#define OLD(r)                                                                                   \
	{                                                                                        \
		X86_REG_R##r##X, X86_REG_E##r##X, X86_REG_##r##X, X86_REG_##r##L, X86_REG_##r##H \
	}
#define POINTER(r)                                                                       \
	{                                                                                \
		X86_REG_R##r, X86_REG_E##r, X86_REG_##r, X86_REG_##r##L, X86_REG_INVALID \
	}
#define NEW(n)                                                                                   \
	{                                                                                        \
		X86_REG_R##n, X86_REG_R##n##D, X86_REG_R##n##W, X86_REG_R##n##B, X86_REG_INVALID \
	}

static const x86_reg names[GENERAL_REGISTERS][WIDTHS] = {
	OLD(A), OLD(C), OLD(D),	 OLD(B),  POINTER(SP), POINTER(BP), POINTER(SI), POINTER(DI),
	NEW(8), NEW(9), NEW(10), NEW(11), NEW(12),     NEW(13),	    NEW(14),	 NEW(15),
};

int general_register(x86_reg reg)
{
	for (int i = 0; reg != X86_REG_INVALID && i < GENERAL_REGISTERS; i++)
		for (int width = 0; width < WIDTHS; width++)
			if (names[i][width] == reg)
				return i;
	return -1;
}

int general_register_argument(int number)
{
	static const int arguments[GENERAL_REGISTERS] = {
		[7] = 1, [6] = 2, [2] = 3, [1] = 4, [8] = 5, [9] = 6
	};

	return number < 0 || number >= GENERAL_REGISTERS ? 0 : arguments[number];
}
