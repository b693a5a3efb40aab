/* SPDX-License-Identifier: Apache-2.0 */
/* What `hierarchy` prints, compared byte for byte with the files of tests/golden/hierarchy/. */
#include "cli/hierarchy_view.h"
#include "cli/targets.h"
#include "golden.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* The shape of a recorded program: chains, recursion, a target that another one always calls. */
static const char program[] = "main;work;child;leaf_a 163\n"
			      "main;work;child;leaf_b 52\n"
			      "main;fib;fib;leaf_a 82\n"
			      "main;fib;leaf_b 12\n"
			      "main;fib;fib 8\n"
			      "main;ping;pong;ping;leaf_a 10\n"
			      "main;ping;pong;leaf_b 4\n"
			      "main;ping;pong 1\n"
			      "main;other 16\n"
			      "idle 87\n";

/* Names that a terminal, or JSON, must not see as they are; one is below itself. */
static const char hostile[] = "a\x1b[31m\"b\\;\xe2\x80\xae;a\x1b[31m\"b\\ 3\n"
			      "\xe2\x80\xae;x 1\n";

struct shown {
	struct targets *targets;
	struct shares shares;
	struct hierarchy_about about;
};

static void shown_begin(struct shown *s, const char *list)
{
	OWNS(buffer) struct buffer why = { 0 };

	*s = (struct shown){ .targets = targets_new() };
	cr_assert(targets_add(s->targets, list, &why) == 0, "%s", why.data);
}

static void shown_cleanup(struct shown *s)
{
	targets_free(s->targets);
	shares_fini(&s->shares);
	hierarchy_about_fini(&s->about);
}

static void source_of(const char *text, struct source *out)
{
	*out = (struct source){ .profile = profile_new() };
	cr_assert(import_profile(text, strlen(text), NULL, out->profile, &out->facts,
				 &out->warnings) == 0,
		  "%s", out->warnings.data);
	out->format = import_kind_name(out->facts.kind);
}

static void add_source(struct shown *s, const char *name, const struct source *source)
{
	OWNS(hierarchy) struct hierarchy h = { 0 };
	OWNS(buffer) struct buffer why = { 0 };
	OWNS_MEM bool *is_target = NULL;

	cr_assert(targets_match(s->targets, source->profile, NULL, &is_target, &why) == 0);
	cr_assert(hierarchy_make(source->profile, NULL, is_target, &h) == 0);
	cr_assert(shares_add(&s->shares, source->profile, &h) == 0);
	cr_assert(hierarchy_about_add(&s->about, name, source, &h) == 0);
}

static void add_text(struct shown *s, const char *name, const char *text)
{
	OWNS(source) struct source source = { 0 };

	source_of(text, &source);
	add_source(s, name, &source);
}

static void expect_text(struct shown *s, const char *golden)
{
	static const struct screen no_screen;
	OWNS(buffer) struct buffer out = { 0 };

	cr_assert(hierarchy_text_add(&s->shares, &no_screen, &out) == 0);
	cr_assert(hierarchy_explain_add(&s->shares, &out) == 0);
	expect_golden(golden, out.data, out.len);
}

static void expect_json(struct shown *s, const char *golden)
{
	OWNS(buffer) struct buffer out = { 0 };

	cr_assert(hierarchy_json_add(&s->shares, &s->about, &out) == 0);
	expect_golden(golden, out.data, out.len);
}

Test(cli_hierarchy, a_program)
{
	OWNS(shown) struct shown s = { 0 };

	shown_begin(&s, "main,work,leaf_a,leaf_b,fib,ping");
	add_text(&s, "program", program);
	cr_assert(shares_finish(&s.shares, SHARES_BY_CHILDREN) == 0);
	expect_text(&s, "hierarchy/program.txt");
	expect_json(&s, "hierarchy/program.json");
}

Test(cli_hierarchy, names_are_harmless)
{
	OWNS(shown) struct shown s = { 0 };

	shown_begin(&s, "/./");
	add_text(&s, "hostile", hostile);
	cr_assert(shares_finish(&s.shares, SHARES_BY_SELF) == 0);
	expect_text(&s, "hierarchy/hostile.txt");
	expect_json(&s, "hierarchy/hostile.json");
}

Test(cli_hierarchy, over_several_profiles_each_number_is_the_mean)
{
	OWNS(buffer) struct buffer warning = { 0 };
	OWNS(shown) struct shown s = { 0 };

	shown_begin(&s, "main,work,leaf_a");
	add_text(&s, "one", "main;work;leaf_a 1\nmain 1\n");
	add_text(&s, "two", "main;leaf_a 1\nmain 3\n");
	buffer_add_text(&warning, "first\nsecond");
	hierarchy_about_warn(&s.about, "two", &warning);
	cr_assert(shares_finish(&s.shares, SHARES_BY_CHILDREN) == 0);
	expect_text(&s, "hierarchy/mean.txt");
	expect_json(&s, "hierarchy/mean.json");
}

static void check_order(enum shares_order order, const char *want)
{
	OWNS(buffer) struct buffer got = { 0 };
	OWNS(shown) struct shown s = { 0 };

	shown_begin(&s, "a,b,c,d,dd");
	add_text(&s, "file", "d;dd;a 3\nd;dd;c 1\nb;a 1\nb 1\n");
	cr_assert(shares_finish(&s.shares, order) == 0);
	for (uint32_t i = 0; i < s.shares.entry_count; i++)
		buffer_print(&got, "%s,", s.shares.entries[i].symbol);
	cr_assert(!strcmp(got.data, want), "%s", got.data);
}

Test(cli_hierarchy, entries_are_by_size_and_then_by_name)
{
	check_order(SHARES_BY_CHILDREN, "a,d,dd,b,c,");
	check_order(SHARES_BY_SELF, "a,b,c,d,dd,");
}

/* A node for each level: as deep as stacks come, without recursion. */
Test(cli_hierarchy, depth_has_no_end)
{
	static const struct screen no_screen;
	OWNS(buffer) struct buffer text = { 0 }, out = { 0 }, json = { 0 };
	OWNS(shown) struct shown s = { 0 };

	for (int i = 0; i < 20000; i++)
		buffer_print(&text, "%sf%d", i ? ";" : "", i);
	buffer_add_text(&text, " 1\n");
	shown_begin(&s, "~f");
	add_text(&s, "deep", text.data);
	cr_assert(shares_finish(&s.shares, SHARES_BY_CHILDREN) == 0);
	cr_assert(s.shares.node_count == 20000 && s.shares.nodes[19999].depth == 19999);
	cr_assert(hierarchy_text_add(&s.shares, &no_screen, &out) == 0);
	cr_assert(strstr(out.data, " [19999] f19999\n") != NULL && out.len < 20000u * 400);
	cr_assert(hierarchy_json_add(&s.shares, &s.about, &json) == 0);
}

static void expect_member(const char *text, const char *member)
{
	OWNS(buffer) struct buffer json = { 0 };
	OWNS(shown) struct shown s = { 0 };

	shown_begin(&s, "/./");
	add_text(&s, NULL, text);
	cr_assert(shares_finish(&s.shares, SHARES_BY_CHILDREN) == 0);
	cr_assert(hierarchy_json_add(&s.shares, &s.about, &json) == 0);
	cr_assert(strstr(json.data, member) != NULL, "%s\n%s", member, json.data);
}

Test(cli_hierarchy, numbers_are_within_bounds_and_read_back_as_they_were)
{
	expect_member("a;b 1\na;c 2\n", "\"symbol\":\"c\",\"absolute_pct\":66.66666666666667,");
	expect_member("a 3\nb -1\n", "\"original_children_pct\":100,");
	expect_member("a 3\nb -1\n", "{\"symbol\":\"b\",\"original_children_pct\":0,");
	expect_member("a 0.5\nb 1.25\n", "\"total\":1.75,");
}

static const char script[] = "app 1 1.0: 7 cycles:\n\tffff f+0x1 (/app)\n\n"
			     "app 1 1.1: 7 faults:\n\tffff g+0x1 (/app)\n\n";

Test(cli_hierarchy, what_differs_between_profiles_is_not_told)
{
	static const char *const names[] = { "cycles", "faults", "cycles" };
	OWNS(buffer) struct buffer json = { 0 };
	OWNS(shown) struct shown s = { 0 };

	shown_begin(&s, "f,g");
	for (size_t i = 0; i < 3; i++) {
		const struct import_request request = { .event = names[i] };
		OWNS(source) struct source source = { .profile = profile_new() };

		cr_assert(import_profile(script, strlen(script), &request, source.profile,
					 &source.facts, &source.warnings) == 0);
		source.format = import_kind_name(source.facts.kind);
		add_source(&s, NULL, &source);
		if (i == 1)
			add_text(&s, NULL, "f 1\n");
	}
	cr_assert(shares_finish(&s.shares, SHARES_BY_CHILDREN) == 0);
	cr_assert(hierarchy_json_add(&s.shares, &s.about, &json) == 0);
	cr_assert(strstr(json.data,
			 "{\"format\":\"mixed\",\"mode\":null,\"order\":null,\"event\":null,"
			 "\"events\":[\"cycles\",\"faults\"],\"unit\":\"percent\",\"total\":null,"
			 "\"exact\":true,\"error_pct\":0,\"warnings\":[],") == json.data,
		  "%s", json.data);
}

Test(cli_hierarchy, what_a_file_tells_of_events_is_passed_on)
{
	const struct import_request first = { .is_first_event = true };
	OWNS(source) struct source source = { .profile = profile_new() };
	OWNS(buffer) struct buffer json = { 0 };
	OWNS(shown) struct shown s = { 0 };

	cr_assert(import_profile(script, strlen(script), &first, source.profile, &source.facts,
				 &source.warnings) == 0);
	source.format = import_kind_name(source.facts.kind);
	shown_begin(&s, "f");
	add_source(&s, "name", &source);
	cr_assert(shares_finish(&s.shares, SHARES_BY_CHILDREN) == 0);
	cr_assert(hierarchy_json_add(&s.shares, &s.about, &json) == 0);
	cr_assert(strstr(json.data,
			 "{\"format\":\"perf-script\",\"mode\":null,\"order\":null,"
			 "\"event\":\"cycles\",\"events\":[\"cycles\",\"faults\"],"
			 "\"unit\":\"period\",\"total\":7,\"exact\":true,\"error_pct\":0,"
			 "\"warnings\":[\"name: only the event cycles is shown;") == json.data,
		  "%s", json.data);
}

Test(cli_hierarchy, a_screen_has_colours_and_an_edge)
{
	const struct screen screen = { .columns = 50, .has_colours = true };
	OWNS(buffer) struct buffer out = { 0 };
	OWNS(shown) struct shown s = { 0 };

	shown_begin(&s, "~x");
	add_text(&s, "file",
		 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxEND 1\n");
	cr_assert(shares_finish(&s.shares, SHARES_BY_CHILDREN) == 0);
	cr_assert(hierarchy_text_add(&s.shares, &screen, &out) == 0);
	cr_assert(strstr(out.data, "  100.00  \033[34mxxx") != NULL, "%s", out.data);
	cr_assert(strstr(out.data, "END\033[0m\n") != NULL, "%s", out.data);
	cr_assert(out.len < strlen("Children%   Self%  Function\n") + 50 + 16, "%s", out.data);
}
