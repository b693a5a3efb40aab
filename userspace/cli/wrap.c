/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/wrap.h"

#include <string.h>

#define COLUMNS 80

static size_t width_of(const char *text, size_t len)
{
	size_t width = 0;

	for (size_t i = 0; i < len; i++)
		width += (text[i] & 0xc0) != 0x80;
	return width;
}

size_t wrap_width(const char *text)
{
	return width_of(text, strlen(text));
}

/* With a blank before it, unless it begins the line. */
static size_t add_word(struct buffer *out, size_t column, size_t indent, const char *word,
		       size_t len)
{
	size_t width = width_of(word, len);

	if (column > indent && column + 1 + width > COLUMNS) {
		buffer_print(out, "\n%*s", (int)indent, "");
		column = indent;
	} else if (column > indent) {
		buffer_add_text(out, " ");
		column++;
	}
	buffer_add(out, word, len);
	return column + width;
}

size_t wrap_add(struct buffer *out, size_t column, size_t indent, const char *text)
{
	while (*(text += strspn(text, " "))) {
		size_t len = strcspn(text, " ");

		column = add_word(out, column, indent, text, len);
		text += len;
	}
	return column;
}

size_t wrap_add_whole(struct buffer *out, size_t column, size_t indent, const char *text)
{
	return add_word(out, column, indent, text, strlen(text));
}
