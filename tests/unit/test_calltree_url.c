/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/transform_text.h"
#include "calltree/transform_url.h"
#include "calltree/url_numbers.h"
#include "trees.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#define MOST 16

Test(calltree, numbers_in_a_url)
{
	static const struct {
		uint32_t numbers[MOST], count;
		const char *text;
		const char *read_also; /* what reads the same, but is not what is written */
	} rows[] = {
		{ { 0 }, 1, "0", "w0" },
		{ { 10 }, 1, "a", "wa" },
		{ { 9, 10 }, 2, "9a", "9wa" },
		{ { 0, 1, 2, 3, 4, 5 }, 6, "0w5", "012345" },
		{ { 2, 1, 0 }, 3, "2w0", "210" },
		{ { 31, 167, 32, 33, 34 }, 5, "vB7x0wx2", "vB7x0x1x2" },
		{ { 6, 219, 218, 217, 216, 9, 10, 11, 12 }, 9, "6CrwCo9wc", NULL },
		{ { 6, 4, 5, 6, 7, 6, 5, 4, 3, 2, 3, 4, 5 }, 13, "64w7w2w5", NULL },
		{ { 366, 21, 21, 24, 31576, 27, 21, 13 }, 8, "Hello.World", NULL },
		{ { 5, 5, 5 }, 3, "555", NULL },
		{ { 4294967293u }, 1, "z_____t", NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *texts[] = { rows[i].text, rows[i].read_also };
		struct buffer out OWNS(buffer) = { 0 };

		url_numbers_write(rows[i].numbers, rows[i].count, &out);
		cr_expect(!strcmp(out.data, rows[i].text), "%s: %s", rows[i].text, out.data);
		for (int k = 0; k < 2 && texts[k]; k++) {
			OWNS_MEM uint32_t *numbers = NULL;
			uint32_t count = 0;

			cr_expect(url_numbers_read(texts[k], strlen(texts[k]), UINT32_MAX, &numbers,
						   &count) == 0,
				  "%s", texts[k]);
			cr_expect(count == rows[i].count && !memcmp(numbers, rows[i].numbers,
								    count * sizeof(*numbers)),
				  "%s", texts[k]);
		}
	}
}

Test(calltree, what_is_no_list_of_numbers)
{
	static const struct {
		const char *text;
		uint32_t limit;
	} rows[] = {
		{ "w", 100 },
		{ "0w", 100 },
		{ "A", 100 },
		{ "0-1", 100 },
		{ "0 1", 100 },
		{ "0w\xff", 100 },
		{ "a", 10 },
		{ "B7", 100 },
		{ "0w34", 3 },
		{ "z_____v", UINT32_MAX },
		{ "______________0", UINT32_MAX },
		/* A few characters cannot ask for all memory. */
		{ "0wB__0", UINT32_MAX },
		{ "0wz_____t", UINT32_MAX },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		OWNS_MEM uint32_t *numbers = NULL;
		uint32_t count = 0;

		cr_expect(url_numbers_read(rows[i].text, strlen(rows[i].text), rows[i].limit,
					   &numbers, &count) == -EBADMSG,
			  "%s", rows[i].text);
	}
}

/* f0;f1;…;f44, each with a category and a resource of its own. */
static struct history *numbered_history(void)
{
	struct buffer samples OWNS(buffer) = { 0 };

	for (int i = 0; i < 45; i++)
		buffer_print(&samples, "%sf%d%s{c%d}<r%d>", i ? ";" : "", i, i % 2 ? "[p]" : "", i,
			     i);
	buffer_add_text(&samples, " 1");
	return tree_history(samples.data);
}

static void expect_texts(const struct transform_list *list, const char *const *texts,
			 const char *url)
{
	uint32_t i = 0;

	for (; texts[i]; i++) {
		struct buffer text OWNS(buffer) = { 0 };

		cr_assert(i < list->count, "%s: only %u", url, list->count);
		cr_assert(transform_print(&list->transforms[i], &text) == 0);
		cr_expect(!strcmp(text.data, texts[i]), "%s: %s in place of %s", url, text.data,
			  texts[i]);
	}
	cr_expect(list->count == i, "%s: %u", url, list->count);
}

Test(calltree, transforms_in_a_url)
{
	static const struct {
		const char *url;
		const char *texts[12];
		uint32_t skipped;
		const char *back; /* if not as it was */
	} rows[] = {
		{ "f-combined-0w2~mcn-combined-2w4~f-js-3w5-i~mf-6~ff-7~fg-42~cr-combined-8-9~"
		  "drec-combined-10~rec-11~df-12~cfs-13",
		  { "focus:f0;f1;f2", "merge-node:f2;f3;f4", "focus-inverted@python:f3;f4;f5",
		    "merge:f6", "focus-function:f7", "focus-category:c42", "collapse-resource:r8",
		    "collapse-direct-recursion:f10", "collapse-recursion:f11", "drop:f12",
		    "collapse-subtree:f13" },
		  0,
		  "f-combined-0w2~mcn-combined-2w4~f-js-3w5-i~mf-6~ff-7~fg-42~cr-combined-8-53~"
		  "drec-combined-10~rec-11~df-12~cfs-13" },
		{ "ffs-cpp-3", { "focus-self@native:f3" }, 0, NULL },
		{ "cr-js-3-99~mf-99",
		  { "collapse-resource@python:r3", "merge:r3" },
		  0,
		  "cr-js-3-48~mf-48" },
		{ "", { NULL }, 0, NULL },
		{ "xyz-1~mf-1", { "merge:f1" }, 1, "mf-1" },
		{ "mf-x~mf-~mf~mf-45~mf--1~mf-99999999999999999999~mf-1-2~mf-2",
		  { "merge:f2" },
		  7,
		  "mf-2" },
		{ "f-nosuch-01", { "focus:f0;f1" }, 0, "f-combined-01" },
		{ "f-combined-~f-combined-w~f-combined-01-j~f-combined-01-i-i~f", { NULL }, 5, "" },
		{ "fg-45~cr-combined-45-1~cr-combined-1~cr-combined-1-x~drec-1", { NULL }, 5, "" },
		{ "fs-m-some-text~fs-fi-1~df-0", { "drop:f0" }, 2, "df-0" },
		{ "~~df-0~", { "drop:f0" }, 2, "df-0" },
	};
	OWNS(history) struct history *h = numbered_history();
	const struct tree_stacks *first = history_first_stacks(h);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		OWNS(transform_list) struct transform_list list = { 0 };
		struct buffer back OWNS(buffer) = { 0 };
		uint32_t skipped = 99;

		cr_assert(transform_url_read(rows[i].url, strlen(rows[i].url), first, &list) == 0);
		expect_texts(&list, rows[i].texts, rows[i].url);
		cr_expect(list.skipped == rows[i].skipped, "%s: skipped %u", rows[i].url,
			  list.skipped);
		buffer_add_text(&back, "");
		cr_assert(transform_url_write(&list, first, &back, &skipped) == 0);
		cr_expect(!skipped && !strcmp(back.data, rows[i].back ? rows[i].back : rows[i].url),
			  "%s: %s", rows[i].url, back.data);
	}
}

Test(calltree, what_a_url_has_no_word_for_is_counted)
{
	static const char *const texts[] = {
		"hide:f",	    "merge-subtree:f",	"filter-prefix:f", "filter-suffix:f",
		"filter-include:g", "focus@kernel:g",	"merge-node:f",	   "merge:nosuch",
		"focus:g;nosuch",   "focus-category:x", "merge:f",	   "merge:f (b.c)"
	};
	OWNS(history) struct history *h = tree_history("f(a.c);g 1|f(b.c) 2");
	OWNS(transform_list) struct transform_list list = { 0 };
	struct buffer url OWNS(buffer) = { 0 };
	uint32_t skipped = 0;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		OWNS(transform) struct transform t = { 0 };

		cr_assert(transform_parse(texts[i], strlen(texts[i]), &t, &url) == 0);
		cr_assert(transform_list_add(&list, &t) == 0);
	}
	cr_assert(transform_url_write(&list, history_first_stacks(h), &url, &skipped) == 0);
	cr_expect(skipped == 11 && !strcmp(url.data, "mf-2"), "%u: %s", skipped, url.data);
}

Test(calltree, a_url_names_one_of_several_functions)
{
	static const char *const texts[] = { "drop:f (b.c)", NULL };
	OWNS(history) struct history *h = tree_history("f(a.c);g 1|f(b.c) 2");
	OWNS(transform_list) struct transform_list list = { 0 };

	cr_assert(transform_url_read("df-2", 4, history_first_stacks(h), &list) == 0);
	expect_texts(&list, texts, "df-2");
}

Test(calltree, functions_without_a_resource_have_no_number_for_it)
{
	static const char *const texts[] = { "collapse-resource:a.c", NULL };
	OWNS(history) struct history *h = tree_history("g;f(a.c) 1");
	OWNS(transform_list) struct transform_list list = { 0 };

	cr_assert(transform_url_read("cr-combined-0-2", 15, history_first_stacks(h), &list) == 0);
	expect_texts(&list, texts, "cr-combined-0-2");
}
