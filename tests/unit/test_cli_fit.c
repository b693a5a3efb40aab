/* SPDX-License-Identifier: Apache-2.0 */
/* Text into columns: wide characters, marks of no width, and the cut in the middle. */
#include "cli/fit.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <string.h>

static const struct row {
	const char *locale, *text;
	int columns;
	const wchar_t *fitted;
	int width;
} rows[] = {
	{ "C.UTF-8", "abcdef", 6, L"abcdef", 6 },
	{ "C.UTF-8", "abcdefg", 6, L"ab\u2026efg", 6 },
	{ "C.UTF-8", "abcdefg", 1, L"\u2026", 1 },
	{ "C.UTF-8", "abcdefg", 2, L"\u2026g", 2 },
	{ "C.UTF-8", "abcdefg", 0, L"", 0 },
	{ "C.UTF-8", "", 5, L"", 0 },
	{ "C.UTF-8", "\u65e5\u672c\u8a9e", 6, L"\u65e5\u672c\u8a9e", 6 },
	/* A character of two columns is left out whole. */
	{ "C.UTF-8", "\u65e5\u672c\u8a9e", 5, L"\u65e5\u2026\u8a9e", 5 },
	{ "C.UTF-8", "\u65e5\u672c\u8a9e", 4, L"\u2026\u8a9e", 3 },
	/* A mark stays on its letter and does not begin the end; more than two are dropped. */
	{ "C.UTF-8", "e\u0301x", 2, L"e\u0301x", 2 },
	{ "C.UTF-8", "abcde\u0301f", 3, L"a\u2026f", 3 },
	{ "C.UTF-8", "a\u0301\u0301\u0301\u0301b", 9, L"a\u0301\u0301b", 2 },
	{ "C.UTF-8",
	  "a\xff"
	  "b\x1b",
	  9, L"a?b?", 4 },
	{ "C", "a\u00e9\u65e5b", 9, L"a??b", 4 },
	{ "C", "abcdefg", 6, L"ab~efg", 6 },
};

Test(cli_fit, texts_take_no_more_than_their_columns)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		wchar_t out[64];
		int width;

		cr_assert(setlocale(LC_CTYPE, r->locale) != NULL, "%s", r->locale);
		width = fit_middle(r->text, r->columns, out, 64);
		cr_expect(width == r->width, "%zu: %d columns", i, width);
		cr_expect(!wcscmp(out, r->fitted), "%zu: %ls", i, out);
	}
}

Test(cli_fit, no_more_is_written_than_there_is_room)
{
	wchar_t out[] = L"abcd";

	setlocale(LC_CTYPE, "C.UTF-8");
	cr_assert(fit_middle("xyz", 80, out, 3) == 0);
	cr_assert(!wcscmp(out, L""));
	cr_assert(fit_middle("xyz", 80, out, 4) == 3);
	cr_assert(!wcscmp(out, L"xyz"));
}
