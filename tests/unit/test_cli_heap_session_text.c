/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who allocates, as text: what is in tests/data/heap_session/ is compared byte for byte with the
 * files of tests/golden/heap_session/.
 */
#include "cli/heap_session_text.h"
#include "cli/heap_text.h"
#include "cli/wrap.h"

#include "golden.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct row {
	const char *name;
	void (*add)(const json_t *json, struct buffer *out);
} rows[] = {
	{ "growth", heap_session_text_add },	    { "trace", heap_session_text_add },
	{ "nothing_known", heap_session_text_add }, { "odd_types", heap_session_text_add },
	{ "page_growth", heap_text_add },	    { "page_trace", heap_text_add },
	{ "page_no_growth", heap_text_add },	    { "page_odd_types", heap_text_add },
	{ "page_wrong_lists", heap_text_add },
};

Test(cli_heap_session_text, sessions_are_laid_out)
{
	setenv("TZ", "UTC", 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		OWNS(buffer) struct buffer out = { 0 };
		char path[256];
		json_t *json;

		snprintf(path, sizeof(path), "%s/tests/data/heap_session/%s.json",
			 SPPROF_SOURCE_DIR, rows[i].name);
		json = json_load_file(path, 0, NULL);
		cr_assert(json != NULL, "%s", path);
		rows[i].add(json, &out);
		cr_assert(buffer_error(&out) == 0);
		snprintf(path, sizeof(path), "heap_session/%s.txt", rows[i].name);
		expect_golden(path, out.data, out.len);
		json_decref(json);
	}
}

/* @count rows of @member, the first @sure of which surely grew. */
static void print_rows(const char *member, int count, int sure, struct buffer *out)
{
	json_t *heap = json_pack("{s{}s[]s[]}", "session", "growth", "stacks");
	json_t *list = json_array();

	for (int i = 0; i < count; i++)
		json_array_append_new(list, json_pack("{sisi}", "bytes", 64, "low", i < sure));
	json_object_set_new(heap, member, list);
	heap_text_add(heap, out);
	json_decref(heap);
}

Test(cli_heap_session_text, tables_are_short)
{
	static const struct {
		const char *member;
		int count, sure;
		const char *more;
	} cases[] = {
		{ "stacks", 10, 0, NULL },
		{ "stacks", 25, 0, "\n        ... and 15 more\n" },
		{ "growth", 25, 25, "\n        ... and 15 more\n" },
		{ "growth", 25, 10, "\n        ... and 15 more, which may not have grown\n" },
		{ "growth", 25, 4, "\n        ... and 21 more, which may not have grown\n" },
		{ "growth", 25, 0, "\n        ... and 22 more, which may not have grown\n" },
		{ "growth", 3, 0, NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		OWNS(buffer) struct buffer out = { 0 };
		const char *more;

		print_rows(cases[i].member, cases[i].count, cases[i].sure, &out);
		more = strstr(out.data, "\n        ... and");
		if (cases[i].more)
			cr_expect(more && !strncmp(more, cases[i].more, strlen(cases[i].more)),
				  "%s", out.data);
		else
			cr_expect(more == NULL, "%s", out.data);
	}
}

Test(cli_heap_session_text, lines_have_80_columns_unless_a_word_is_longer)
{
	static const struct {
		size_t column, indent;
		const char *text, *want;
	} cases[] = {
		{ 0, 0, "", "" },
		{ 9, 9, "  one   two ", "one two" },
		{ 70, 9, "ten columns", " ten\n         columns" },
		{ 75, 9, "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 b",
		  " \xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\n         b" },
		{ 79, 2, "a", "\n  a" },
	};
	char longest[200];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		OWNS(buffer) struct buffer out = { 0 };

		wrap_add(&out, cases[i].column, cases[i].indent, cases[i].text);
		cr_expect(!strcmp(out.data ? out.data : "", cases[i].want), "%zu: %s", i, out.data);
	}
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	for (size_t column = 2; column < 80; column += 77) {
		OWNS(buffer) struct buffer out = { 0 };

		cr_expect(wrap_add(&out, column, 2, longest) == 2 + strlen(longest));
		cr_expect(!strcmp(out.data + (column > 2 ? 3 : 0), longest));
	}
}
