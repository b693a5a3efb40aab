/* SPDX-License-Identifier: Apache-2.0 */
#include "export/collapsed_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#define KERNEL_SUFFIX "_[k]"
#define NOTHING "[unknown]"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Offset of the blank that comes before a number (`12`, `1.5`) at the end; @len if none. */
static size_t blank_before_number(const char *text, size_t len)
{
	size_t at = len;

	while (at > 0 && (is_digit(text[at - 1]) || text[at - 1] == '.'))
		at--;
	return at > 0 && at < len && text[at - 1] == ' ' ? at - 1 : len;
}

static bool starts_with(const char *text, size_t len, const char *start)
{
	return len >= strlen(start) && memcmp(text, start, strlen(start)) == 0;
}

static bool ends_with(const char *text, size_t len, const char *end)
{
	size_t end_len = strlen(end);

	return len >= end_len && memcmp(text + len - end_len, end, end_len) == 0;
}

/* Whether a reader may take it for `NAME (FILE:LINE)`. */
static bool ends_like_python(const char *text, size_t len)
{
	size_t at = len ? len - 1 : 0;

	if (!ends_with(text, len, ")"))
		return false;
	while (at > 0 && is_digit(text[at - 1]))
		at--;
	return at < len - 1 && at > 0 && text[at - 1] == ':' && memmem(text, at, " (", 2);
}

/* Offset of the last byte where it may not stand as it is; @len if it may. */
static size_t odd_end(const char *text, size_t len)
{
	if (ends_with(text, len, " ") || ends_with(text, len, KERNEL_SUFFIX) ||
	    ends_like_python(text, len))
		return len - 1;
	return blank_before_number(text, len);
}

/* Bytes at @text that may not stand as they are; 0 if they may. */
static size_t escape_length(const char *text, size_t len)
{
	unsigned char first = text[0];

	if (first < 0x20 || first == 0x7f || first == ';')
		return 1;
	/* C1 is U+0080 to U+009F: two bytes, the second of which is the code point. */
	if (first == 0xc2 && len > 1 && (unsigned char)text[1] < 0xa0)
		return 2;
	if (starts_with(text, len, "\u2028") || starts_with(text, len, "\u2029"))
		return 3;
	if (starts_with(text, len, "\\x") || starts_with(text, len, "\\u2028") ||
	    starts_with(text, len, "\\u2029"))
		return 1;
	return 0;
}

static void add_escape(struct buffer *out, const char *text)
{
	unsigned char first = text[0];

	if (first == 0xe2)
		buffer_add_text(out, text[2] == "\u2028"[2] ? "\\u2028" : "\\u2029");
	else
		buffer_print(out, "\\x%02x", first == 0xc2 ? (unsigned char)text[1] : first);
}

/* @odd: an offset whose byte is escaped whatever it is. */
static void add_escaped(struct buffer *out, const char *text, size_t len, size_t odd)
{
	size_t done = 0;

	for (size_t i = 0; i < len;) {
		size_t taken = i == odd ? 1 : escape_length(text + i, len - i);

		if (!taken) {
			i++;
			continue;
		}
		buffer_add(out, text + done, i - done);
		add_escape(out, text + i);
		i += taken;
		done = i;
	}
	buffer_add(out, text + done, len - done);
}

/* The front of a frame's text, which may not look like a comment. The bytes it took. */
static size_t add_front(struct buffer *out, const char *text, size_t len)
{
	if (!len)
		buffer_add_text(out, NOTHING);
	if (!len || text[0] != '#' || (len > 1 && text[1] != ' '))
		return 0;
	buffer_add_text(out, "\\x23");
	return 1;
}

void collapsed_add_text(struct buffer *out, const char *text, size_t len)
{
	size_t front = add_front(out, text, len);

	text += front;
	len -= front;
	add_escaped(out, text, len, odd_end(text, len));
}

/* Text inside `NAME (FILE:LINE)`: no `(` after a blank. */
static void add_piece(struct buffer *out, const char *text, size_t len)
{
	const char *open;

	while ((open = memmem(text, len, " (", 2))) {
		size_t before = open + 1 - text;

		add_escaped(out, text, before, before);
		add_escape(out, "(");
		text += before + 1;
		len -= before + 1;
	}
	add_escaped(out, text, len, len);
}

void collapsed_add_python(struct buffer *out, const char *name, size_t name_len, const char *file,
			  size_t file_len, uint32_t line)
{
	size_t front = add_front(out, name, name_len);

	add_piece(out, name + front, name_len - front);
	buffer_add_text(out, " (");
	add_piece(out, file, file_len);
	buffer_print(out, ":%" PRIu32 ")", line);
}

void collapsed_add_kernel(struct buffer *out, const char *name, size_t len)
{
	size_t front = add_front(out, name, len);

	add_escaped(out, name + front, len - front, len);
	buffer_add_text(out, KERNEL_SUFFIX);
}
