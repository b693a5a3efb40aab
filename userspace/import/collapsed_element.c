/* SPDX-License-Identifier: Apache-2.0 */
#include "import/collapsed_element.h"
#include "base/utf8.h"
#include "import/names.h"

#include <string.h>

#define KERNEL_SUFFIX "_[k]"
#define LAST_LINE_DIGITS 10

/* The pieces of `NAME (FILE:LINE)`. */
struct python_element {
	size_t name_len;
	const char *file;
	size_t file_len;
	uint32_t line;
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Bytes of the escape at @text, and in *@code_point what it stands for; 0: it is none. */
static size_t read_escape(const char *text, size_t len, uint32_t *code_point)
{
	if (len >= 4 && text[1] == 'x' && hex_digit(text[2]) >= 0 && hex_digit(text[3]) >= 0) {
		*code_point = hex_digit(text[2]) << 4 | hex_digit(text[3]);
		return 4;
	}
	if (len >= 6 && (memcmp(text, "\\u2028", 6) == 0 || memcmp(text, "\\u2029", 6) == 0)) {
		*code_point = 0x2020 + hex_digit(text[5]);
		return 6;
	}
	return 0;
}

static int add_text(struct profile *p, const char *text, size_t len, profile_id *id)
{
	struct buffer plain OWNS(buffer) = { 0 };
	size_t done = 0;

	if (!memchr(text, '\\', len))
		return names_add(p, text, len, id);
	for (size_t i = 0; i < len;) {
		uint32_t code_point;
		size_t used = text[i] == '\\' ? read_escape(text + i, len - i, &code_point) : 0;

		if (used) {
			buffer_add(&plain, text + done, i - done);
			utf8_add(&plain, code_point);
			done = i + used;
		}
		i += used ? used : 1;
	}
	buffer_add(&plain, text + done, len - done);
	return buffer_error(&plain) ? -ENOMEM : names_add(p, plain.data, plain.len, id);
}

/* The length before `:LINE)` at the end, and *@line; 0 if there is none. */
static size_t read_line(const char *text, size_t len, uint32_t *line)
{
	size_t at = len ? len - 1 : 0, digits = 0;
	uint64_t number = 0;

	if (!len || text[at] != ')')
		return 0;
	while (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9')
		at--;
	digits = len - 1 - at;
	if (!digits || digits > LAST_LINE_DIGITS || !at || text[at - 1] != ':')
		return 0;
	for (size_t i = at; i < len - 1; i++)
		number = number * 10 + (text[i] - '0');
	*line = number <= UINT32_MAX ? (uint32_t)number : 0;
	return at - 1;
}

/*
 * Offset of the `(` that opens the file: the one that the last `)` closes, after a blank;
 * where a file's name has a half of a pair, the first after a blank. 0: there is none.
 */
static size_t find_file(const char *text, size_t len)
{
	size_t first = 0, depth = 1;

	for (size_t i = len; i-- > 0;) {
		depth += text[i] == ')';
		if (text[i] != '(')
			continue;
		depth -= depth > 0;
		if (i < 2 || text[i - 1] != ' ')
			continue;
		if (!depth)
			return i;
		first = i;
	}
	return first;
}

static bool is_python(const char *text, size_t len, struct python_element *e)
{
	size_t end = read_line(text, len, &e->line);
	size_t open = find_file(text, end);

	if (!open || open + 1 == end)
		return false;
	e->name_len = open - 1;
	e->file = text + open + 1;
	e->file_len = end - open - 1;
	return true;
}

static size_t cut_suffix(const char *text, size_t len)
{
	size_t suffix = strlen(KERNEL_SUFFIX);

	if (len <= suffix || memcmp(text + len - suffix, KERNEL_SUFFIX, suffix) != 0)
		return len;
	return len - suffix;
}

int collapsed_add_element(struct profile *p, const char *text, size_t len, profile_id *frame)
{
	struct profile_function function = { .kind = PROFILE_NATIVE };
	struct python_element python;
	size_t name_len = len;
	int err = 0;

	if (is_python(text, len, &python)) {
		function.kind = PROFILE_PYTHON;
		function.first_line = python.line;
		name_len = python.name_len;
		err = add_text(p, python.file, python.file_len, &function.file);
	} else {
		name_len = cut_suffix(text, len);
		if (name_len < len)
			function.kind = PROFILE_KERNEL;
	}
	if (!err)
		err = add_text(p, text, name_len, &function.name);
	return err ? err : names_add_frame(p, &function, 0, frame);
}
