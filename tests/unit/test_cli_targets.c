/* SPDX-License-Identifier: Apache-2.0 */
/* How targets are written, and which names of a profile they match. */
#include "cli/targets.h"
#include "profiles.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static profile_id add_name(struct profile *p, const char *name)
{
	struct profile_function f = { .name = test_string(p, name), .kind = PROFILE_NATIVE };
	profile_id id;

	cr_assert(profile_add_function(p, &f, &id) == 0);
	return f.name;
}

/* "1" for each of @names that is a target, else "0"; commas between. */
static void match_names(struct targets *t, const char *names, const char *want)
{
	OWNS(profile) struct profile *p = profile_new();
	OWNS(buffer) struct buffer why = { 0 }, got = { 0 };
	OWNS_MEM bool *is_target = NULL;
	char copy[256];
	profile_id ids[16];
	int count = 0;

	snprintf(copy, sizeof(copy), "%s", names);
	for (char *at = strtok(copy, "|"); at; at = strtok(NULL, "|"))
		ids[count++] = add_name(p, at);
	cr_assert(targets_match(t, p, NULL, &is_target, &why) == 0);
	for (int i = 0; i < count; i++)
		buffer_add_text(&got, is_target[ids[i]] ? "1" : "0");
	cr_assert(!strcmp(got.data, want), "%s: %s, not %s", names, got.data, want);
}

static const struct matched {
	const char *list, *names, *want;
} matched[] = {
	{ "work", "work|Worker.work|a::work|work(int)|__network|work_|worker", "1111000" },
	{ "Worker.work", "Worker.work|work|m.Worker.work|XWorker.work", "1010" },
	{ "a,b", "a|b|c|a,b", "1100" },
	{ " a , b ", "a|b|c", "110" },
	{ "=a", "a|x.a|a()", "100" },
	{ "=a()", "a|a()", "01" },
	{ "~work", "__network|Worker|working|WORK", "1010" },
	{ "~(int)", "f(int)|f(long)", "10" },
	{ "/^f.b$/", "fib|fab|x.fib|fb", "1100" },
	{ "/fi{1,2}b/,g", "fib|fiib|fiiib|g", "1101" },
	{ "/a/,/b/", "a|b|c", "110" },
	{ "/x\\/,y/,a", "x/,y|a|x", "110" },
	{ "/a,b/ , c", "a,b|a|c", "101" },
	{ "/A/", "a|A", "01" },
};

Test(cli_targets, each_kind_matches_what_it_says)
{
	for (size_t i = 0; i < sizeof(matched) / sizeof(matched[0]); i++) {
		OWNS(targets) struct targets *t = targets_new();
		OWNS(buffer) struct buffer why = { 0 };

		cr_assert(targets_add(t, matched[i].list, &why) == 0, "%s: %s", matched[i].list,
			  why.data);
		match_names(t, matched[i].names, matched[i].want);
		cr_assert(targets_have_match(t));
	}
}

static const struct refused {
	const char *list, *why;
} refused[] = {
	{ "", "the target \"\" is empty" },
	{ "a,,b", "the target \"\" is empty" },
	{ "a,", "the target \"\" is empty" },
	{ "=", "the target \"=\" is empty" },
	{ "~,a", "the target \"~\" is empty" },
	{ "//", "the target \"//\" is empty" },
	{ "/", "the regular expression / needs a / at its end" },
	{ "/a", "the regular expression /a needs a / at its end" },
	{ "/a\\/", "cannot read the regular expression /a\\/: \\ at end of pattern at offset 2" },
	{ "b,/a(/",
	  "cannot read the regular expression /a(/: missing closing parenthesis at offset 2" },
};

Test(cli_targets, what_is_wrong_is_said)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		OWNS(targets) struct targets *t = targets_new();
		OWNS(buffer) struct buffer why = { 0 };

		cr_assert(targets_add(t, refused[i].list, &why) == -EINVAL, "%s", refused[i].list);
		cr_assert(!strcmp(why.data, refused[i].why), "%s: %s", refused[i].list, why.data);
	}
}

Test(cli_targets, a_file_has_one_a_line_commas_and_all)
{
	static const char text[] = "\xef\xbb\xbf f(int, char) \r\n\n=g<a, b>\n/h{1,2}$/\nlast";
	OWNS(targets) struct targets *t = targets_new();
	OWNS(buffer) struct buffer why = { 0 };

	cr_assert(targets_add_lines(t, text, sizeof(text) - 1, &why) == 0, "%s", why.data);
	cr_assert(targets_count(t) == 4);
	match_names(t, "g<a, b>|xhh|hhh|h,|last", "11101");
}

Test(cli_targets, lists_add_up)
{
	OWNS(targets) struct targets *t = targets_new();
	OWNS(buffer) struct buffer why = { 0 };

	cr_assert(targets_add(t, "a,b", &why) == 0 && targets_add(t, "c", &why) == 0);
	cr_assert(targets_add_lines(t, "d\n", 2, &why) == 0);
	cr_assert(targets_count(t) == 4);
	match_names(t, "a|b|c|d|e", "11110");
}

Test(cli_targets, only_names_of_functions_count)
{
	OWNS(targets) struct targets *t = targets_new();
	OWNS(profile) struct profile *p = profile_new();
	OWNS(buffer) struct buffer why = { 0 };
	OWNS_MEM bool *is_target = NULL;
	profile_id other = test_string(p, "work");

	cr_assert(targets_add(t, "work", &why) == 0);
	cr_assert(targets_match(t, p, NULL, &is_target, &why) == 0);
	cr_assert(!is_target[other] && !targets_have_match(t));
}

Test(cli_targets, names_that_a_pruned_report_tells_elsewhere_count_too)
{
	OWNS(targets) struct targets *t = targets_new();
	OWNS(profile) struct profile *p = profile_new(), *own = profile_new();
	OWNS(buffer) struct buffer why = { 0 };
	OWNS_MEM bool *is_target = NULL;
	struct pruned_entry entry = { .symbol = test_string(p, "entry") };
	struct profile_pruned pruned = { .own = own, .entries = &entry, .count = 1 };

	add_name(own, "below");
	add_name(own, "other");
	cr_assert(targets_add(t, "below,entry", &why) == 0);
	cr_assert(targets_match(t, p, &pruned, &is_target, &why) == 0);
	cr_assert(is_target[entry.symbol] && is_target[test_string(p, "below")]);
	cr_assert(!is_target[test_string(p, "other")]);
}

Test(cli_targets, what_nothing_matches_is_told_with_the_closest)
{
	OWNS(targets) struct targets *t = targets_new();
	OWNS(buffer) struct buffer why = { 0 }, told = { 0 };

	cr_assert(targets_add(t, "wrok,main,/^x/", &why) == 0);
	match_names(t, "Worker.work|main|swap(int)", "010");
	targets_warn(t, "; ", &told);
	cr_assert(!strcmp(told.data,
			  "no function matches \"wrok\"; closest: \"work\", \"main\", \"swap\"; "
			  "no function matches \"/^x/\"; closest: \"work\", \"main\", \"swap\""),
		  "%s", told.data);
}

Test(cli_targets, of_many_only_the_first_few_are_told)
{
	OWNS(targets) struct targets *t = targets_new();
	OWNS(buffer) struct buffer why = { 0 }, told = { 0 };

	cr_assert(targets_add(t, "1,2,3,4,5,6,7,8,9,10", &why) == 0);
	targets_warn(t, "\n", &told);
	cr_assert(strstr(told.data, "\"8\"\nnor 2 other targets") != NULL, "%s", told.data);
}

Test(cli_targets, no_expression_hangs)
{
	OWNS(targets) struct targets *t = targets_new();
	OWNS(profile) struct profile *p = profile_new();
	OWNS(buffer) struct buffer why = { 0 };
	OWNS_MEM bool *is_target = NULL;

	add_name(p, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!");
	cr_assert(targets_add(t, "/^(a+)+$/", &why) == 0);
	cr_assert(targets_match(t, p, NULL, &is_target, &why) == -E2BIG);
	cr_assert(!strcmp(why.data, "/^(a+)+$/ takes too many steps; simplify it"), "%s", why.data);
}
