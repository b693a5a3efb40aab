/* SPDX-License-Identifier: Apache-2.0 */
#include "export/collapsed_text.h"

#include <stdbool.h>
#include <string.h>

/* Offset of the blank that comes before a number (`12`, `1.5`) at the end; @len if none. */
static size_t blank_before_number(const char *text, size_t len)
{
	size_t at = len;

	while (at > 0 && ((text[at - 1] >= '0' && text[at - 1] <= '9') || text[at - 1] == '.'))
		at--;
	return at > 0 && at < len && text[at - 1] == ' ' ? at - 1 : len;
}

static bool starts_with(const char *text, size_t len, const char *start)
{
	return len >= strlen(start) && memcmp(text, start, strlen(start)) == 0;
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

void collapsed_add_text(struct buffer *out, const char *text, size_t len)
{
	size_t done = 0, blank;

	while (len > 0 && text[len - 1] == ' ')
		len--;
	if (!len) {
		buffer_add_text(out, "[unknown]");
		return;
	}
	blank = blank_before_number(text, len);
	for (size_t i = 0; i < len;) {
		size_t taken = i == blank ? 1 : escape_length(text + i, len - i);

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
