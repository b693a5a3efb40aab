/* SPDX-License-Identifier: Apache-2.0 */
#include "native/probe_site.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>

#define AT 0x401000
#define FIRST PROBE_SITE_ARGUMENT(1)
#define SECOND PROBE_SITE_ARGUMENT(2)
#define STACK PROBE_SITE_STACK

struct row {
	char name[72];
	uint8_t code[24];
	size_t len;
	unsigned int wanted;
	int err;
	uint32_t offset;
	bool is_emulated;
};

static struct row rows[] = {
	{ "push %rbx", { 0x53, 0xc3 }, 2, FIRST, 0, 0, true },
	{ "push %r12", { 0x41, 0x54, 0xc3 }, 3, FIRST, 0, 0, true },
	{ "endbr64, push %rbp", { 0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0xc3 }, 6, FIRST, 0, 4, true },
	{ "test %rdi,%rdi; js",
	  { 0x48, 0x85, 0xff, 0x0f, 0x88, 0, 1, 0, 0 },
	  9,
	  FIRST,
	  0,
	  3,
	  true },
	{ "je with a short way", { 0x85, 0xff, 0x74, 0x10, 0xc3 }, 5, FIRST, 0, 2, true },
	{ "jmp", { 0xe9, 0, 1, 0, 0 }, 5, FIRST, 0, 0, true },
	{ "call", { 0xe8, 0, 1, 0, 0 }, 5, FIRST, 0, 0, true },
	{ "the only one is stepped over: ret", { 0xc3 }, 1, FIRST, 0, 0, false },
	{ "lea -1(%rdi),%edi, then push: the first argument is gone",
	  { 0x8d, 0x7f, 0xff, 0x53 },
	  4,
	  FIRST,
	  0,
	  0,
	  false },
	{ "the same, and only the second is wanted",
	  { 0x8d, 0x7f, 0xff, 0x53 },
	  4,
	  SECOND,
	  0,
	  3,
	  true },
	{ "mov $0,%sil, then push", { 0x40, 0xb6, 0, 0x53 }, 4, SECOND, 0, 0, false },
	{ "a plain mov, then push", { 0x48, 0x89, 0xf8, 0x53 }, 4, FIRST | SECOND, 0, 3, true },
	{ "rep stos changes %rdi", { 0xf3, 0x48, 0xab, 0x53 }, 4, FIRST, 0, 0, false },
	{ "a loop comes back to the push",
	  { 0x48, 0x89, 0xf8, 0x53, 0x5b, 0x75, 0xfc, 0xc3 },
	  8,
	  FIRST,
	  0,
	  0,
	  false },
	{ "a loop comes back to the entry: a call again",
	  { 0x53, 0x75, 0xfd, 0xc3 },
	  4,
	  FIRST,
	  0,
	  0,
	  true },
	{ "what is behind an indirect jump does not always run",
	  { 0xff, 0xe0, 0x53 },
	  3,
	  0,
	  0,
	  0,
	  false },
	{ "nop of five bytes at the entry",
	  { 0x0f, 0x1f, 0x44, 0, 0, 0xc3 },
	  6,
	  FIRST,
	  0,
	  0,
	  true },
	{ "nop of five bytes behind it",
	  { 0x48, 0x89, 0xf8, 0x0f, 0x1f, 0x44, 0, 0, 0xc3 },
	  9,
	  FIRST,
	  0,
	  0,
	  false },
	{ "nop of ten bytes at the entry, which the kernel refuses, then push",
	  { 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0, 0x55 },
	  11,
	  FIRST,
	  0,
	  10,
	  true },
	{ "push of memory is stepped over",
	  { 0xff, 0x35, 0, 0, 0, 0, 0xc3 },
	  7,
	  FIRST,
	  0,
	  0,
	  false },
	{ "bnd jmp is stepped over", { 0xf2, 0xe9, 0, 1, 0, 0 }, 6, FIRST, 0, 0, false },
	{ "sub $24,%rsp; ja: the stack pointer has moved",
	  { 0x48, 0x83, 0xec, 0x18, 0x77, 0x10 },
	  6,
	  FIRST | STACK,
	  0,
	  0,
	  false },
	{ "the same, and no return is wanted",
	  { 0x48, 0x83, 0xec, 0x18, 0x77, 0x10 },
	  6,
	  FIRST,
	  0,
	  4,
	  true },
	{ "a push is the first to move it: the probe is hit before",
	  { 0x48, 0x89, 0xf8, 0x53 },
	  4,
	  FIRST | STACK,
	  0,
	  3,
	  true },
	{ "push of memory moves it, then push of a register",
	  { 0xff, 0x35, 0, 0, 0, 0, 0x53 },
	  7,
	  STACK,
	  0,
	  0,
	  false },
	{ "int3", { 0xcc }, 1, FIRST, -ENOTSUP, 0, false },
	{ "lock at the entry",
	  { 0xf0, 0x48, 0x0f, 0xb1, 0x0f, 0xc3 },
	  6,
	  FIRST,
	  -ENOTSUP,
	  0,
	  false },
	{ "nothing", { 0 }, 0, FIRST, -ENOTSUP, 0, false },
	{ "no instruction", { 0x06 }, 1, FIRST, -EBADMSG, 0, false },
	{ "half an instruction", { 0x48, 0x8b }, 2, FIRST, -EBADMSG, 0, false },
	{ "half an instruction behind a whole one",
	  { 0x48, 0x89, 0xf8, 0x48 },
	  4,
	  FIRST,
	  0,
	  0,
	  false },
};

static void expect_find(struct row *r)
{
	struct probe_site site = { .offset = 99 };

	cr_assert(eq(int, probe_site_find(r->code, r->len, AT, r->wanted, &site), r->err), "%s",
		  r->name);
	if (r->err)
		return;
	cr_expect(eq(u32, site.offset, r->offset), "%s", r->name);
	cr_expect(eq(int, site.is_emulated, r->is_emulated), "%s", r->name);
}

Test(probe_site, find)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		expect_find(&rows[i]);
}
