/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/fit.h"

#include "base/cleanup.h"

#include <langinfo.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MARKS_MOST 2 /* of no width, on one character: more would pile up */

/* The characters of a text, those that can be shown. */
struct cells {
	wchar_t *text;
	size_t len;
	int width;
	bool is_utf8;
};

static int width_of(wchar_t c)
{
	return wcwidth(c);
}

static void add_cell(struct cells *c, wchar_t wide, unsigned int *marks)
{
	int width = width_of(wide);

	if (width < 0) {
		wide = L'?';
		width = 1;
	}
	*marks = width ? 0 : *marks + 1;
	if (*marks > MARKS_MOST)
		return;
	c->text[c->len++] = wide;
	c->width += width;
}

static void take_wide(struct cells *c, const char *text)
{
	size_t left = strlen(text), used;
	mbstate_t state = { 0 };
	unsigned int marks = 0;
	wchar_t wide;

	for (; left; text += used, left -= used) {
		used = mbrtowc(&wide, text, left, &state);
		if (!used || used > left) {
			state = (mbstate_t){ 0 };
			wide = L'?';
			used = 1;
		}
		add_cell(c, wide, &marks);
	}
}

static void take_ascii(struct cells *c, const char *text)
{
	unsigned int marks = 0;

	for (; *text; text++)
		if ((*text & 0xc0) != 0x80)
			add_cell(c, *text & 0x80 ? L'?' : (wchar_t)*text, &marks);
}

/* Characters from @from on that take at most @columns; their columns are added to *@width. */
static size_t fitting_head(const struct cells *c, int columns, int *width)
{
	size_t len = 0;

	while (len < c->len && *width + width_of(c->text[len]) <= columns)
		*width += width_of(c->text[len++]);
	return len;
}

/* Where the end begins that takes at most @columns, with a character that has a width. */
static size_t fitting_tail(const struct cells *c, int columns, int *width)
{
	size_t at = c->len;
	int used = 0;

	while (at && used + width_of(c->text[at - 1]) <= columns)
		used += width_of(c->text[--at]);
	while (at < c->len && !width_of(c->text[at]))
		at++;
	*width += used;
	return at;
}

/* Head, mark and tail into @out, which has room for all of @c. */
static int cut(const struct cells *c, int columns, wchar_t *out)
{
	int width = 0;
	size_t len = fitting_head(c, (columns - 1) / 2, &width);
	size_t tail = fitting_tail(c, columns - 1 - width, &width);

	wmemcpy(out, c->text, len);
	out[len++] = c->is_utf8 ? L'\u2026' : L'~';
	wmemcpy(out + len, c->text + tail, c->len - tail);
	out[len + c->len - tail] = L'\0';
	return width + 1;
}

int fit_middle(const char *text, int columns, wchar_t *out, size_t room)
{
	struct cells c = { .is_utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8") };
	OWNS_MEM wchar_t *cells = calloc(strlen(text) + 1, sizeof(wchar_t));
	OWNS_MEM wchar_t *line = calloc(strlen(text) + 2, sizeof(wchar_t));
	int width;

	*out = L'\0';
	if (!cells || !line || columns <= 0)
		return 0;
	c.text = cells;
	if (c.is_utf8)
		take_wide(&c, text);
	else
		take_ascii(&c, text);
	if (c.width <= columns) {
		wmemcpy(line, c.text, c.len);
		width = c.width;
	} else {
		width = cut(&c, columns, line);
	}
	if (wcslen(line) >= room)
		return 0;
	wcscpy(out, line);
	return width;
}
