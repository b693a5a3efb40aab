/* SPDX-License-Identifier: Apache-2.0 */
#include "python/pytext.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

#define ELLIPSIS "\xe2\x80\xa6"
#define REPLACEMENT "\xef\xbf\xbd"

struct text {
	const char *name;
	uint8_t data[24];
	size_t stored;
	uint8_t width;
	uint32_t length;
	const char *expect;
};

static const struct text texts[] = {
	{ "ASCII", "main", 4, 1, 4, "main" },
	{ "nothing", "", 0, 1, 0, "" },
	{ "Latin-1", "caf\xe9", 4, 1, 4, "caf\xc3\xa9" },
	{ "Latin-1's last", "\xff", 1, 1, 1, "\xc3\xbf" },
	{ "two bytes, little endian",
	  { 0x2d, 0x4e, 0x87, 0x65 },
	  4,
	  2,
	  2,
	  "\xe4\xb8\xad\xe6\x96\x87" },
	{ "two bytes below 128", { 'a', 0, 0x2d, 0x4e }, 4, 2, 2, "a\xe4\xb8\xad" },
	{ "four bytes", { 0x0d, 0xf4, 0x01, 0 }, 4, 4, 1, "\xf0\x9f\x90\x8d" },
	{ "a lone surrogate of two bytes", { 0x00, 0xd8 }, 2, 2, 1, REPLACEMENT },
	{ "surrogates are no pair", { 0x3d, 0xd8, 0x0d, 0xdc }, 4, 2, 2, REPLACEMENT REPLACEMENT },
	{ "beyond Unicode", { 0, 0, 0x11, 0 }, 4, 4, 1, REPLACEMENT },
	{ "beyond Unicode, the highest bit", { 0, 0, 0, 0x80 }, 4, 4, 1, REPLACEMENT },
	{ "cut", "long", 4, 1, 9, "long" ELLIPSIS },
	{ "cut within a code point", { 0x2d, 0x4e, 0x87 }, 3, 2, 2, "\xe4\xb8\xad" ELLIPSIS },
	{ "more bytes than the string has", "mainX", 5, 1, 4, "main" },
	{ "could not be read", "", 0, 0, 7, ELLIPSIS },
	{ "a width that no string has", { 1, 2, 3, 4, 5, 6 }, 6, 3, 2, ELLIPSIS },
	{ "semicolons, newlines and escapes stay", "a;b\n\x1b[0m", 8, 1, 8, "a;b\n\x1b[0m" },
};

static void check_add(const struct text *t)
{
	struct buffer out OWNS(buffer) = { 0 };

	buffer_add_text(&out, "");
	pytext_add(&out, t->data, t->stored, t->width, t->length);
	cr_expect(eq(str, out.data, (char *)t->expect), "%s", t->name);
}

Test(pytext, text_of_each_width_becomes_utf8)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		check_add(&texts[i]);
}

Test(pytext, a_nul_is_a_character_like_any_other)
{
	struct buffer out OWNS(buffer) = { 0 };

	pytext_add(&out, (const uint8_t *)"a\0b", 3, 1, 3);
	cr_expect(eq(sz, out.len, 3));
	cr_expect(eq(int, memcmp(out.data, "a\0b", 3), 0));
}

/* A string of @chars code points of four bytes, all there: how many bytes of text it makes. */
static size_t made_of(uint32_t chars)
{
	static uint8_t data[4 * 5000];
	struct buffer out OWNS(buffer) = { 0 };

	for (uint32_t i = 0; i < chars; i++)
		memcpy(data + 4 * i, "\x0d\xf4\x01", 4);
	pytext_add(&out, data, 4 * chars, 4, chars);
	if (chars > PYTEXT_MAX_CHARS)
		cr_expect(eq(str, out.data + out.len - strlen(ELLIPSIS), ELLIPSIS));
	return out.len;
}

Test(pytext, a_long_text_is_cut_and_marked)
{
	cr_expect(eq(sz, made_of(PYTEXT_MAX_CHARS), 4 * PYTEXT_MAX_CHARS));
	cr_expect(eq(sz, made_of(PYTEXT_MAX_CHARS + 1), 4 * (PYTEXT_MAX_CHARS - 1) + 3));
	cr_expect(eq(sz, made_of(5000), 4 * (PYTEXT_MAX_CHARS - 1) + 3));
}

/* interned 2 bits, kind 3, compact, ascii, and one that differs by version. */
#define STATE(interned, kind, compact, ascii) \
	((interned) | (kind) << 2 | (compact) << 5 | (ascii) << 6)

static const struct state {
	uint32_t word;
	unsigned int kind; /* where it begins */
	int err;
	struct pytext_state expect;
} states[] = {
	{ STATE(0, 1, 1, 1), 2, 0, { 1, 1, 1 } },
	{ STATE(1, 1, 1, 0), 2, 0, { 1, 1, 0 } },
	{ STATE(3, 2, 1, 0) | 1 << 7, 2, 0, { 2, 1, 0 } },
	{ STATE(0, 4, 1, 0) | 0xffffff00, 2, 0, { 4, 1, 0 } },
	{ STATE(0, 1, 0, 1), 2, 0, { 1, 0, 1 } }, /* of a subclass of str */
	{ STATE(0, 0, 0, 0), 2, -EBADMSG, { 0 } },
	{ STATE(0, 3, 1, 0), 2, -EBADMSG, { 0 } },
	{ STATE(0, 5, 1, 0), 2, -EBADMSG, { 0 } },
	{ STATE(0, 2, 1, 1), 2, -EBADMSG, { 0 } },
	{ STATE(0, 4, 1, 1), 2, -EBADMSG, { 0 } },
	/* Free-threaded builds from 3.14 on: interned is a byte. */
	{ 1 | 1 << 8 | 1 << 11 | 1 << 12, 8, 0, { 1, 1, 1 } },
	{ 3 | 2 << 8 | 1 << 11, 8, 0, { 2, 1, 0 } },
	{ 4 << 8 | 1 << 11 | 1 << 13, 8, 0, { 4, 1, 0 } },
	{ STATE(1, 1, 1, 1), 8, -EBADMSG, { 0 } },
};

static void check_state(const struct state *s)
{
	struct pytext_state out = { 0 };

	cr_assert(eq(int, pytext_decode_state(s->word, s->kind, &out), s->err), "%#x", s->word);
	cr_expect(eq(u8, out.width, s->expect.width), "%#x", s->word);
	cr_expect(eq(u8, out.is_compact, s->expect.is_compact), "%#x", s->word);
	cr_expect(eq(u8, out.is_ascii, s->expect.is_ascii), "%#x", s->word);
}

Test(pytext, the_state_word_says_how_a_string_is_kept)
{
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		check_state(&states[i]);
}
