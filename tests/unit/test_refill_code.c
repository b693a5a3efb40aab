/* SPDX-License-Identifier: Apache-2.0 */
#include "native/refill_code.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>

#define AT 0x401000

/* Instructions as gcc writes them. */
#define MOV_EDI_EBX 0x89, 0xfb
#define MOV_ESI_EBX 0x89, 0xf3
#define MOV_RSI_R8 0x49, 0x89, 0xf0
#define MOV_EAX_EBX 0x89, 0xc3
#define SHR_4_ESI 0xc1, 0xee, 0x04
#define JE 0x74, 0x00
#define POOL_HAS_NO_SIZE 0xc7, 0x40, 0x24, 0xff, 0xff, 0, 0 /* movl $0xffff,0x24(%rax) */
#define POOL_GETS_EBX 0x89, 0x58, 0x24			    /* mov %ebx,0x24(%rax) */
#define POOL_GETS_R8D 0x44, 0x89, 0x40, 0x24
#define POOL_GETS_ESI 0x89, 0x70, 0x24
#define OTHER_GETS_EBX 0x89, 0x58, 0x28
#define RET 0xc3

Test(refill_code, argument)
{
	static const struct {
		char name[64];
		uint8_t code[24];
		int argument;
	} rows[] = {
		{ "the first, as up to 3.11",
		  { MOV_EDI_EBX, JE, POOL_HAS_NO_SIZE, POOL_GETS_EBX, RET },
		  1 },
		{ "the second, as from 3.12 on",
		  { MOV_ESI_EBX, JE, POOL_HAS_NO_SIZE, POOL_GETS_EBX, RET },
		  2 },
		{ "in whole registers, and the other order",
		  { MOV_RSI_R8, JE, POOL_GETS_R8D, POOL_HAS_NO_SIZE, RET },
		  2 },
		{ "it stays where it is", { JE, POOL_HAS_NO_SIZE, POOL_GETS_ESI, RET }, 2 },
		{ "it was computed, as where the function is inlined",
		  { SHR_4_ESI, MOV_ESI_EBX, JE, POOL_HAS_NO_SIZE, POOL_GETS_EBX, RET },
		  -ENOENT },
		{ "no argument",
		  { MOV_EAX_EBX, JE, POOL_HAS_NO_SIZE, POOL_GETS_EBX, RET },
		  -ENOENT },
		{ "behind a branch nothing is known of registers",
		  { JE, MOV_EDI_EBX, POOL_HAS_NO_SIZE, POOL_GETS_EBX, RET },
		  -ENOENT },
		{ "no pool is carved off", { MOV_EDI_EBX, JE, POOL_GETS_EBX, RET }, -ENOENT },
		{ "no pool gets the size",
		  { MOV_EDI_EBX, JE, POOL_HAS_NO_SIZE, OTHER_GETS_EBX, RET },
		  -ENOENT },
		{ "no instruction", { 0x06 }, -ENOENT },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect(eq(int, refill_code_argument(rows[i].code, sizeof(rows[i].code), AT),
			     rows[i].argument),
			  "%s", rows[i].name);
	cr_expect(eq(int, refill_code_argument(rows[0].code, 0, AT), -ENOENT));
}

Test(refill_code, calls_are_those_that_leave_the_function)
{
	static const uint8_t code[] = {
		0xe8, 0xfb, 0x0f, 0,	0,    /* call AT + 0x1000 */
		0x74, 0x01,		      /* je in itself */
		0x90, 0xff, 0xd0,	      /* call *%rax */
		0xe9, 0xf1, 0xef, 0xff, 0xff, /* jmp AT - 0x1000 */
	};
	uint64_t out[4] = { 0 };

	cr_assert(eq(int, refill_code_calls(code, sizeof(code), AT, out, 4), 2));
	cr_expect(eq(u64, out[0], AT + 0x1000));
	cr_expect(eq(u64, out[1], AT - 0x1000));
	cr_expect(eq(int, refill_code_calls(code, sizeof(code), AT, out, 1), 1));
}
