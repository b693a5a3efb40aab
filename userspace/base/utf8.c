/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

#include <string.h>

#define REPLACEMENT 0xFFFD
#define INVALID UINT32_MAX

void utf8_add(struct buffer *out, uint32_t cp)
{
	char bytes[4];

	if (cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF))
		cp = REPLACEMENT;
	if (cp < 0x80) {
		bytes[0] = cp;
		return buffer_add(out, bytes, 1);
	}
	if (cp < 0x800) {
		bytes[0] = 0xC0 | cp >> 6;
		bytes[1] = 0x80 | (cp & 0x3F);
		return buffer_add(out, bytes, 2);
	}
	if (cp < 0x10000) {
		bytes[0] = 0xE0 | cp >> 12;
		bytes[1] = 0x80 | (cp >> 6 & 0x3F);
		bytes[2] = 0x80 | (cp & 0x3F);
		return buffer_add(out, bytes, 3);
	}
	bytes[0] = 0xF0 | cp >> 18;
	bytes[1] = 0x80 | (cp >> 12 & 0x3F);
	bytes[2] = 0x80 | (cp >> 6 & 0x3F);
	bytes[3] = 0x80 | (cp & 0x3F);
	buffer_add(out, bytes, 4);
}

/* Bytes of the sequence that @lead starts, by RFC 3629; 0 if it starts none. */
static size_t sequence_len(uint8_t lead)
{
	if (lead < 0x80)
		return 1;
	if (lead >= 0xC2 && lead <= 0xDF)
		return 2;
	if (lead >= 0xE0 && lead <= 0xEF)
		return 3;
	return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

/* The code point at @text and in *@used its bytes; INVALID, and then *@used is 1. */
static uint32_t decode(const uint8_t *text, size_t left, size_t *used)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = sequence_len(text[0]);
	uint32_t cp = len > 1 ? text[0] & (0x7F >> len) : text[0];

	*used = 1;
	if (!len || len > left)
		return INVALID;
	for (size_t i = 1; i < len; i++) {
		if ((text[i] & 0xC0) != 0x80)
			return INVALID;
		cp = cp << 6 | (text[i] & 0x3F);
	}
	if (cp < least[len] || cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF))
		return INVALID;
	*used = len;
	return cp;
}

void utf8_repair(struct buffer *out, const char *text, size_t len)
{
	for (size_t at = 0, used; at < len; at += used)
		utf8_add(out, decode((const uint8_t *)text + at, len - at, &used));
}

bool utf8_is_valid(const char *text, size_t len)
{
	for (size_t at = 0, used; at < len; at += used)
		if (decode((const uint8_t *)text + at, len - at, &used) == INVALID)
			return false;
	return true;
}

static bool is_hidden(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7F && cp <= 0x9F) || (cp >= 0x202A && cp <= 0x202E) ||
	       (cp >= 0x2066 && cp <= 0x2069);
}

void utf8_add_visible(struct buffer *out, const char *text)
{
	size_t len = strlen(text);

	for (size_t at = 0, used; at < len; at += used) {
		uint32_t cp = decode((const uint8_t *)text + at, len - at, &used);

		if (!is_hidden(cp))
			utf8_add(out, cp);
		else
			buffer_print(out, cp < 0x100 ? "\\x%02x" : "\\u%04x", cp);
	}
}

void utf8_add_visible_bytes(struct buffer *out, const char *text, size_t len)
{
	const char *end = text + len;

	for (;;) {
		utf8_add_visible(out, text);
		text += strlen(text);
		if (text == end)
			return;
		buffer_add_text(out, "\\x00");
		text++;
	}
}
