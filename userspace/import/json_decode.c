/* SPDX-License-Identifier: Apache-2.0 */
/* The escapes of a JSON string. What is none stands for itself. */
#include "base/utf8.h"
#include "import/json_reader.h"

#include <string.h>

/* The four digits at @text; false if they are not there. */
static bool read_hex(const char *text, size_t len, uint32_t *unit)
{
	uint32_t value = 0;

	if (len < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		char c = text[i] | 0x20;

		if (text[i] >= '0' && text[i] <= '9')
			value = value << 4 | (text[i] - '0');
		else if (c >= 'a' && c <= 'f')
			value = value << 4 | (c - 'a' + 10);
		else
			return false;
	}
	*unit = value;
	return true;
}

/* \uXXXX, or two of them that make one code point. The bytes that it took, 0: none. */
static size_t decode_unit(const char *text, size_t len, struct buffer *out)
{
	uint32_t high, low;

	if (len < 6 || !read_hex(text + 2, len - 2, &high))
		return 0;
	if (high >= 0xD800 && high < 0xDC00 && len >= 12 && text[6] == '\\' && text[7] == 'u' &&
	    read_hex(text + 8, len - 8, &low) && low >= 0xDC00 && low < 0xE000) {
		utf8_add(out, 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00));
		return 12;
	}
	utf8_add(out, high);
	return 6;
}

static size_t decode_escape(const char *text, size_t len, struct buffer *out)
{
	static const char letters[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
	const char *letter = len > 1 && text[1] ? strchr(letters, text[1]) : NULL;

	if (len > 1 && text[1] == 'u')
		return decode_unit(text, len, out);
	if (!letter)
		return 0;
	buffer_add(out, bytes + (letter - letters), 1);
	return 2;
}

void json_text_decode(const struct json_text *t, struct buffer *out)
{
	for (size_t at = 0; at < t->len;) {
		const char *text = t->text + at;
		size_t left = t->len - at, used = 0;
		const char *escape = memchr(text, '\\', left);
		size_t plain = escape ? (size_t)(escape - text) : left;

		buffer_add(out, text, plain);
		if (escape)
			used = decode_escape(escape, left - plain, out);
		if (escape && !used)
			buffer_add(out, escape, used = 1);
		at += plain + used;
	}
}
