/* SPDX-License-Identifier: Apache-2.0 */
/* From a profile to the rows and the text of `spprofctl top`. */
#include "cli/top_table.h"
#include "cli/top_text.h"

#include "golden.h"
#include "profiles.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct test_frame module = { "<module>", "/srv/app.py", 1, 40, 0 };
static const struct test_frame work = { "work", "/srv/app.py", 10, 12, 0 };
static const struct test_frame work_later = { "work", "/srv/app.py", 10, 14, 0 };
static const struct test_frame leaf = { "leaf", "/srv/lib.py", 3, 4, 0 };
static const struct test_frame odd = { "\x1b[2Jodd\nname", "/srv/\xe2\x80\xae.py", 7, 8, 0 };
static const struct test_frame native = { "[native]", "", 0, 0, PROFILE_NATIVE };

/*
 * 10 s, 1 s a sample: work alone 2, work -> leaf 3, work that calls itself from two lines 1,
 * something odd 1, and nothing on the stack 1.
 */
static struct profile *example(void)
{
	struct profile *p = profile_new();
	struct profile_about *about = profile_about(p);
	profile_id root = test_stack(p, PROFILE_NONE, &module);
	profile_id in_work = test_stack(p, root, &work);
	profile_id thread = test_thread(p, 12, 12, "python3", "MainThread");
	profile_id other = test_thread(p, 12, 13, "python3", "other");

	about->duration_ns = 10000000000;
	about->taken = 10;
	about->lost = 2;
	about->rates = test_string(p, "1,499");
	test_sample(p, in_work, thread, 2000000000, 2);
	test_sample(p, test_stack(p, in_work, &leaf), thread, 3000000000, 3);
	test_sample(p, test_stack(p, in_work, &work_later), other, 1000000000, 1);
	test_sample(p, test_stack(p, test_stack(p, root, &odd), &native), other, 1000000000, 1);
	test_sample(p, PROFILE_NONE, thread, 1000000000, 1);
	return p;
}

/* "name:line own/total" of each row, in seconds. */
static void describe(const struct profile *p, const struct top_table *t, struct buffer *out)
{
	const struct profile_function *functions = profile_functions(p, &(uint32_t){ 0 });

	for (uint32_t i = 0; i < t->count; i++) {
		const struct top_row *r = &t->rows[i];

		buffer_print(out, "%s", profile_string(p, functions[r->function].name));
		if (r->line)
			buffer_print(out, ":%u", r->line);
		buffer_print(out, " %g/%g; ", r->own / 1e9, r->total / 1e9);
	}
}

static const struct sorted {
	enum top_rows rows;
	enum top_order order;
	const char *text;
} sorted[] = {
	{ TOP_FUNCTIONS, TOP_BY_OWN,
	  "work 3/6; leaf 3/3; [native] 1/1; <module> 0/7; \x1b[2Jodd\nname 0/1; " },
	{ TOP_FUNCTIONS, TOP_BY_TOTAL,
	  "<module> 0/7; work 3/6; leaf 3/3; [native] 1/1; \x1b[2Jodd\nname 0/1; " },
	{ TOP_LINES, TOP_BY_OWN_TIME,
	  "leaf:4 3/3; work:12 2/6; [native] 1/1; work:14 1/1; <module>:40 0/7; "
	  "\x1b[2Jodd\nname:8 0/1; " },
	{ TOP_LINES, TOP_BY_TOTAL_TIME,
	  "<module>:40 0/7; work:12 2/6; leaf:4 3/3; [native] 1/1; work:14 1/1; "
	  "\x1b[2Jodd\nname:8 0/1; " },
};

Test(cli_top, rows_are_sorted_by_a_column_then_by_the_other_then_by_name)
{
	OWNS(profile) struct profile *p = example();

	for (size_t i = 0; i < sizeof(sorted) / sizeof(sorted[0]); i++) {
		OWNS(top_table) struct top_table t = { 0 };
		OWNS(buffer) struct buffer rows = { 0 };

		cr_assert(top_table_make(p, sorted[i].rows, sorted[i].order, &t) == 0);
		describe(p, &t, &rows);
		cr_expect(!strcmp(rows.data, sorted[i].text), "%zu: %s", i, rows.data);
		cr_expect(t.weight == 8000000000 && t.samples == 8 && t.threads == 2);
	}
}

Test(cli_top, a_frame_of_no_sample_has_no_row)
{
	OWNS(profile) struct profile *p = example();
	OWNS(top_table) struct top_table functions = { 0 };
	OWNS(top_table) struct top_table lines = { 0 };
	static const struct test_frame unused = { "unused", "x.py", 1, 2, 0 };

	test_stack(p, PROFILE_NONE, &unused);
	cr_assert(top_table_make(p, TOP_FUNCTIONS, TOP_BY_OWN, &functions) == 0);
	cr_assert(top_table_make(p, TOP_LINES, TOP_BY_OWN, &lines) == 0);
	cr_assert(functions.count == 5 && lines.count == 6, "%u %u", functions.count, lines.count);
}

Test(cli_top, any_profile_makes_a_table)
{
	for (uint64_t seed = 0; seed < 50; seed++) {
		OWNS(profile) struct profile *p = test_random_profile(seed);
		OWNS(top_table) struct top_table t = { 0 };
		OWNS(buffer) struct buffer out = { 0 };

		cr_assert(top_table_make(p, TOP_LINES, TOP_BY_TOTAL, &t) == 0);
		top_text_add_block(&out, "x", p, &t, UINT32_MAX);
		cr_assert(buffer_error(&out) == 0);
		for (size_t i = 0; i < out.len; i++)
			cr_assert(out.data[i] == '\n' || (unsigned char)out.data[i] >= ' ');
	}
}

Test(cli_top, orders_have_names)
{
	cr_assert(!strcmp(top_order_name(TOP_BY_OWN), "own"));
	cr_assert(!strcmp(top_order_name(TOP_BY_TOTAL_TIME), "total-time"));
}

static void check_block(const char *golden, const struct profile *p, enum top_rows rows,
			uint32_t most)
{
	OWNS(top_table) struct top_table t = { 0 };
	OWNS(buffer) struct buffer out = { 0 };

	cr_assert(top_table_make(p, rows, TOP_BY_OWN, &t) == 0);
	top_text_add_block(&out, "12 python3 (Python 3.11.2)", p, &t, most);
	cr_assert(buffer_error(&out) == 0);
	expect_golden(golden, out.data, out.len);
}

Test(cli_top, blocks_are_laid_out)
{
	OWNS(profile) struct profile *p = example();
	OWNS(profile) struct profile *empty = profile_new();

	check_block("top/functions.txt", p, TOP_FUNCTIONS, 30);
	check_block("top/lines.txt", p, TOP_LINES, 30);
	check_block("top/cut.txt", p, TOP_FUNCTIONS, 2);
	check_block("top/empty.txt", empty, TOP_FUNCTIONS, 30);
}
