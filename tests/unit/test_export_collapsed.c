/* SPDX-License-Identifier: Apache-2.0 */
/* Checklist C-10 (no samples), C-19. */
#include "export/collapsed_text.h"
#include "export/exporter.h"
#include "golden.h"
#include "profiles.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>

static void expect_collapsed(const char *path, const struct profile *p,
			     const struct export_options *o)
{
	struct buffer out OWNS(buffer) = { 0 };

	test_export("collapsed", p, o, 0, &out);
	expect_golden(path, out.data ? out.data : "", out.len);
}

Test(export_collapsed, functions_with_their_first_lines)
{
	OWNS(profile) struct profile *p = test_small_profile();

	expect_collapsed("collapsed/functions.txt", p, NULL);
}

Test(export_collapsed, lines_that_run)
{
	OWNS(profile) struct profile *p = test_small_profile();

	expect_collapsed("collapsed/lines.txt", p, &(struct export_options){ .with_lines = true });
}

Test(export_collapsed, threads_first)
{
	OWNS(profile) struct profile *p = test_small_profile();

	expect_collapsed("collapsed/threads.txt", p,
			 &(struct export_options){ .with_threads = true });
}

Test(export_collapsed, samples_instead_of_nanoseconds)
{
	OWNS(profile) struct profile *p = test_small_profile();

	expect_collapsed("collapsed/samples.txt", p,
			 &(struct export_options){ .as_samples = true });
}

Test(export_collapsed, an_empty_profile_is_an_empty_file)
{
	OWNS(profile) struct profile *p = profile_new();

	expect_collapsed("collapsed/empty.txt", p, NULL);
}

Test(export_collapsed, an_empty_stack_is_not_lost)
{
	OWNS(profile) struct profile *p = profile_new();
	static const struct test_frame unknown = { "[unknown]", "", 0, 0, PROFILE_UNKNOWN };
	profile_id thread = test_thread(p, 1, 2, "p", "t");

	test_sample(p, PROFILE_NONE, thread, 10, 1);
	test_sample(p, test_stack(p, PROFILE_NONE, &unknown), thread, 5, 1);
	expect_collapsed("collapsed/empty_stack.txt", p, NULL);
}

/* The names that break a line in other profilers, each as a function and as a file. */
Test(export_collapsed, odd_names)
{
	static const char *const names[] = {
		"a;b",	 "new\nline",	     "bell\x07 12", "blank ",	  "f 12",
		"\\x3b", "C:\\users\\u2028", "sep\u2028",   "c1\xc2\x85", ""
	};
	OWNS(profile) struct profile *p = profile_new();
	profile_id thread = test_thread(p, 7, 8, "my proc", "Thread 12");

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct test_frame python = { names[i], names[i], 3, 4, PROFILE_PYTHON };
		struct test_frame native = { names[i], "lib.so", 0, 0, PROFILE_NATIVE };
		profile_id root = test_stack(p, PROFILE_NONE, &python);

		test_sample(p, test_stack(p, root, &native), thread, 1 + i, 1);
	}
	expect_collapsed("collapsed/odd_names.txt", p,
			 &(struct export_options){ .with_threads = true });
}

Test(export_collapsed, a_weight_below_zero_is_refused)
{
	OWNS(profile) struct profile *p = profile_new();
	struct buffer out OWNS(buffer) = { 0 };

	test_sample(p, PROFILE_NONE, test_thread(p, 1, 2, "p", "t"), -1, 1);
	test_export("collapsed", p, NULL, -ERANGE, &out);
	cr_expect(eq(sz, out.len, 0));
}

struct row {
	char text[24], expect[32];
};
static struct row rows[] = {
	{ "plain", "plain" },
	{ "a;b", "a\\x3bb" },
	{ "\t", "\\x09" },
	{ "\x7f", "\\x7f" },
	{ "\xc2\x80\xc2\x9f\u00a0", "\\x80\\x9f\u00a0" },
	{ "\u2028\u2029\u2027", "\\u2028\\u2029\u2027" },
	{ "\\", "\\" },
	{ "\\x", "\\x5cx" },
	{ "\\\\x", "\\\\x5cx" },
	{ "\\u2029\\u202a", "\\x5cu2029\\u202a" },
	{ "a  ", "a \\x20" },
	{ "   ", "  \\x20" },
	{ "", "[unknown]" },
	{ "f 12", "f\\x2012" },
	{ "f 1.5", "f\\x201.5" },
	{ "f 12 ", "f 12\\x20" },
	{ "f12", "f12" },
	{ "12", "12" },
	{ "f 12)", "f 12)" },
	{ "f_[k]", "f_[k\\x5d" },
	{ "f (a:12)", "f (a:12\\x29" },
	{ "f (a:)", "f (a:)" },
	{ "f(a:12)", "f(a:12)" },
	{ "# f", "\\x23 f" },
	{ "#", "\\x23" },
	{ "#f", "#f" },
};
static void expect_text(struct row *r)
{
	struct buffer out OWNS(buffer) = { 0 };

	collapsed_add_text(&out, r->text, strlen(r->text));
	cr_expect(eq(str, out.data, r->expect));
}

Test(export_collapsed, text)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		expect_text(&rows[i]);
}

Test(export_collapsed, a_files_parentheses_cannot_be_taken_for_its_own)
{
	struct buffer out OWNS(buffer) = { 0 };

	collapsed_add_python(&out, "f (", 3, "a (b;c (", 8, 7);
	cr_expect(eq(str, out.data, "f \\x28 (a \\x28b\\x3bc \\x28:7)"));
}

Test(export_collapsed, the_kernels_functions_have_a_suffix)
{
	struct buffer out OWNS(buffer) = { 0 };

	collapsed_add_kernel(&out, "schedule;", 9);
	cr_expect(eq(str, out.data, "schedule\\x3b_[k]"));
}

Test(export_collapsed, weights_have_the_decimals_of_the_profile)
{
	OWNS(profile) struct profile *p = profile_new();
	struct buffer out OWNS(buffer) = { 0 };
	static const struct test_frame f = { "f", "", 0, 0, PROFILE_NATIVE };

	profile_about(p)->decimals = 3;
	test_sample(p, test_stack(p, PROFILE_NONE, &f), test_thread(p, 1, 1, "", ""), 1050, 1);
	test_export("collapsed", p, NULL, 0, &out);
	cr_expect(eq(str, out.data, "f 1.05\n"));
}
