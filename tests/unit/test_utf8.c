/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

static const struct code_point {
	uint32_t value;
	const char *expect;
} code_points[] = {
	{ 'a', "a" },
	{ 0x7f, "\x7f" },
	{ 0x80, "\xc2\x80" },
	{ 0x7ff, "\xdf\xbf" },
	{ 0x800, "\xe0\xa0\x80" },
	{ 0xd7ff, "\xed\x9f\xbf" },
	{ 0xd800, REPLACEMENT },
	{ 0xdfff, REPLACEMENT },
	{ 0xe000, "\xee\x80\x80" },
	{ 0xffff, "\xef\xbf\xbf" },
	{ 0x10000, "\xf0\x90\x80\x80" },
	{ 0x10ffff, "\xf4\x8f\xbf\xbf" },
	{ 0x110000, REPLACEMENT },
	{ UINT32_MAX, REPLACEMENT },
};

static void check_add(const struct code_point *c)
{
	struct buffer out OWNS(buffer) = { 0 };

	utf8_add(&out, c->value);
	cr_expect(eq(str, out.data, (char *)c->expect), "U+%04X", c->value);
}

Test(utf8, a_code_point_becomes_its_bytes)
{
	for (size_t i = 0; i < sizeof(code_points) / sizeof(code_points[0]); i++)
		check_add(&code_points[i]);
}

static const struct text {
	const char *text;
	const char *expect; /* NULL: valid as it is */
} texts[] = {
	{ "", NULL },
	{ "plain", NULL },
	{ "caf\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x90\x8d", NULL },
	{ REPLACEMENT, NULL },
	{ "\xf4\x8f\xbf\xbf", NULL },
	{ "caf\xe9", "caf" REPLACEMENT },
	{ "\xe9t\xe9", REPLACEMENT "t" REPLACEMENT },
	{ "a\x80z", "a" REPLACEMENT "z" },			 /* no lead */
	{ "\xc0\xaf", REPLACEMENT REPLACEMENT },		 /* too long a form */
	{ "\xe0\x80\xaf", REPLACEMENT REPLACEMENT REPLACEMENT }, /* so is this */
	{ "\xf0\x80\x80\xaf", REPLACEMENT REPLACEMENT REPLACEMENT REPLACEMENT },
	{ "\xed\xa0\x80", REPLACEMENT REPLACEMENT REPLACEMENT }, /* a surrogate */
	{ "\xf4\x90\x80\x80", REPLACEMENT REPLACEMENT REPLACEMENT REPLACEMENT },
	{ "\xff\xfe", REPLACEMENT REPLACEMENT },
	{ "cut \xe4\xb8", "cut " REPLACEMENT REPLACEMENT },
	{ "\xe4\xb8"
	  "a",
	  REPLACEMENT REPLACEMENT "a" },
};

static void check_repair(const struct text *t)
{
	const char *expect = t->expect ? t->expect : t->text;
	struct buffer out OWNS(buffer) = { 0 };

	buffer_add_text(&out, "");
	utf8_repair(&out, t->text, strlen(t->text));
	cr_expect(eq(str, out.data, (char *)expect));
	cr_expect(utf8_is_valid(out.data, out.len));
	cr_expect(eq(int, utf8_is_valid(t->text, strlen(t->text)), !t->expect));
}

Test(utf8, what_is_invalid_is_replaced_byte_by_byte)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		check_repair(&texts[i]);
}

Test(utf8, what_lies_behind_the_end_does_not_count)
{
	cr_expect(not(utf8_is_valid("\xe4\xb8\xad", 2)));
	cr_expect(utf8_is_valid("\xe4\xb8\xad", 3));
}

Test(utf8, a_nul_is_text)
{
	struct buffer out OWNS(buffer) = { 0 };

	utf8_repair(&out, "a\0b", 3);
	cr_expect(eq(sz, out.len, 3));
	cr_expect(utf8_is_valid("a\0b", 3));
}

static const struct visible {
	const char *text;
	const char *expect;
} visibles[] = {
	{ "main.<locals>.f", "main.<locals>.f" },
	{ "caf\xc3\xa9 \xf0\x9f\x90\x8d", "caf\xc3\xa9 \xf0\x9f\x90\x8d" },
	{ "\x1b[31mred\x07", "\\x1b[31mred\\x07" },
	{ "a\tb\nc\rd", "a\\x09b\\x0ac\\x0dd" },
	{ "\x7f\x1f", "\\x7f\\x1f" },
	{ "\xc2\x9b"
	  "31m",
	  "\\x9b31m" },
	{ "\xc2\xa0", "\xc2\xa0" },
	{ "\xe2\x80\xaetxt", "\\u202etxt" },
	{ "\xe2\x80\xaa\xe2\x81\xa6\xe2\x81\xa9", "\\u202a\\u2066\\u2069" },
	{ "\xe2\x80\xaf\xe2\x81\xaa", "\xe2\x80\xaf\xe2\x81\xaa" },
	{ "bad \xff", "bad " REPLACEMENT },
};

static void check_visible(const struct visible *v)
{
	struct buffer out OWNS(buffer) = { 0 };

	utf8_add_visible(&out, v->text);
	cr_expect(eq(str, out.data, (char *)v->expect));
}

Test(utf8, what_would_act_on_a_terminal_is_written_out)
{
	for (size_t i = 0; i < sizeof(visibles) / sizeof(visibles[0]); i++)
		check_visible(&visibles[i]);
}

Test(utf8, a_nul_inside_is_visible_too)
{
	OWNS(buffer) struct buffer out = { 0 };

	utf8_add_visible_bytes(&out, "a\0b\0", 4);
	cr_expect(eq(str, out.data, "a\\x00b\\x00"));
}
