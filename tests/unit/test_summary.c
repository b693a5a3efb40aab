/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/summary.h"
#include "profiles.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

static const struct test_frame module = { "<module>", "app.py", 1, 40, 0 };
static const struct test_frame f_12 = { "f", "app.py", 10, 12, 0 };
static const struct test_frame f_14 = { "f", "app.py", 10, 14, 0 };
static const struct test_frame g_31 = { "g", "app.py", 30, 31, 0 };
static const struct test_frame h_12 = { "h", "app.py", 10, 12, 0 };
static const struct test_frame native = { "[native]", "", 0, 0, PROFILE_NATIVE };
static const struct test_frame unknown = { "[unknown]", "", 0, 0, PROFILE_UNKNOWN };

#define MOST_FRAMES 6

/* Root first; ends with NULL. */
struct row {
	const struct test_frame *frames[MOST_FRAMES];
	int64_t weight;
	uint64_t count;
};

static void add_row(struct profile *p, const struct row *row, profile_id thread)
{
	profile_id stack = PROFILE_NONE;

	for (int i = 0; i < MOST_FRAMES && row->frames[i]; i++)
		stack = test_stack(p, stack, row->frames[i]);
	test_sample(p, stack, thread, row->weight, row->count);
}

/* "f 30/40 g 5/5 | app.py:12 30 | 45 in 3 samples of 1 threads" */
static void describe(const struct profile *p, const struct summary *s, struct buffer *out)
{
	uint32_t count;
	const struct profile_function *functions = profile_functions(p, &count);

	for (uint32_t i = 0; i < s->function_count; i++)
		buffer_print(out, "%s %" PRId64 "/%" PRId64 " ",
			     profile_string(p, functions[s->functions[i].function].name),
			     s->functions[i].self, s->functions[i].total);
	buffer_add_text(out, "|");
	for (uint32_t i = 0; i < s->line_count; i++)
		buffer_print(out, " %s@%s:%u %" PRId64,
			     profile_string(p, functions[s->lines[i].function].name),
			     profile_string(p, s->lines[i].file), s->lines[i].line,
			     s->lines[i].self);
	buffer_print(out, " | %" PRId64 " in %" PRIu64 " of %u", s->weight, s->samples, s->threads);
}

static void check(const struct profile *p, const char *expected)
{
	OWNS(summary) struct summary s = { 0 };
	OWNS(buffer) struct buffer text = { 0 };

	cr_assert(summary_make(p, &s) == 0);
	describe(p, &s, &text);
	cr_expect(!strcmp(text.data, expected), "%s\nin place of\n%s", text.data, expected);
}

static const struct {
	const char *of;
	struct row rows[3];
	const char *summary;
} profiles[] = {
	{ "nothing", { { { 0 }, 0, 0 } }, "| | 0 in 0 of 0" },
	{ "self goes to the leaf, total to all",
	  { { { &module, &f_12 }, 30, 3 }, { { &module }, 10, 1 } },
	  "f 30/30 <module> 10/40 | f@app.py:12 30 <module>@app.py:40 10 | 40 in 4 of 1" },
	{ "a function that calls itself counts once a sample",
	  { { { &module, &f_12, &f_12, &f_14 }, 7, 1 } },
	  "f 7/7 <module> 0/7 | f@app.py:14 7 | 7 in 1 of 1" },
	{ "also with another between",
	  { { { &f_12, &g_31, &f_14, &g_31 }, 7, 1 }, { { &f_12, &g_31 }, 2, 1 } },
	  "g 9/9 f 0/9 | g@app.py:31 9 | 9 in 2 of 1" },
	{ "the outermost call counts, wherever it is",
	  { { { &module, &f_12, &g_31 }, 5, 1 }, { { &g_31, &f_12 }, 3, 1 } },
	  "g 5/8 f 3/8 <module> 0/5 | g@app.py:31 5 f@app.py:12 3 | 8 in 2 of 1" },
	{ "a function is one, with all of its lines",
	  { { { &module, &f_12 }, 4, 1 }, { { &module, &f_14 }, 6, 1 } },
	  "f 10/10 <module> 0/10 | f@app.py:14 6 f@app.py:12 4 | 10 in 2 of 1" },
	{ "a line is one, whosever it is",
	  { { { &module, &h_12 }, 4, 1 }, { { &module, &f_12 }, 6, 1 } },
	  "f 6/6 h 4/4 <module> 0/10 | f@app.py:12 10 | 10 in 2 of 1" },
	{ "where there is no line, functions stay apart",
	  { { { &native }, 4, 1 }, { { &unknown }, 5, 1 } },
	  "[unknown] 5/5 [native] 4/4 | [unknown]@:0 5 [native]@:0 4 | 9 in 2 of 1" },
	{ "samples without a stack have a weight all the same",
	  { { { 0 }, 9, 2 }, { { &module }, 1, 1 } },
	  "<module> 1/1 | <module>@app.py:40 1 | 10 in 3 of 1" },
	{ "of equal weights the name decides",
	  { { { &g_31 }, 5, 1 }, { { &h_12 }, 5, 1 }, { { &f_14 }, 5, 1 } },
	  "f 5/5 g 5/5 h 5/5 | h@app.py:12 5 f@app.py:14 5 g@app.py:31 5 | 15 in 3 of 1" },
	{ "of equal selves the total decides",
	  { { { &g_31 }, 5, 1 }, { { &g_31, &h_12 }, 5, 1 } },
	  "g 5/10 h 5/5 | h@app.py:12 5 g@app.py:31 5 | 10 in 2 of 1" },
	{ "sums end at the limits",
	  { { { &f_12 }, INT64_MAX, 1 }, { { &f_14 }, INT64_MAX, 1 } },
	  "f 9223372036854775807/9223372036854775807 | f@app.py:12 9223372036854775807 "
	  "f@app.py:14 9223372036854775807 | 9223372036854775807 in 2 of 1" },
};

Test(summary, functions_and_lines_have_what_the_samples_say)
{
	for (size_t i = 0; i < sizeof(profiles) / sizeof(*profiles); i++) {
		/* Forwards and backwards: the order of rows does not show. */
		for (int turn = 0; turn < 2; turn++) {
			OWNS(profile) struct profile *p = profile_new();
			profile_id thread = test_thread(p, 1, 2, "python3", "MainThread");

			for (int n = 0; n < 3; n++) {
				const struct row *row = &profiles[i].rows[turn ? 2 - n : n];

				if (row->count)
					add_row(p, row, thread);
			}
			cr_log_info("%s", profiles[i].of);
			check(p, profiles[i].summary);
		}
	}
}

Test(summary, threads_are_those_with_samples)
{
	OWNS(profile) struct profile *p = profile_new();
	static const struct row row = { { &module }, 1, 1 };

	for (uint32_t tid = 1; tid <= 5; tid++) {
		profile_id thread = test_thread(p, 1, tid, "python3", "worker");

		if (tid % 2)
			add_row(p, &row, thread);
	}
	check(p, "<module> 3/3 | <module>@app.py:40 3 | 3 in 3 of 3");
}

Test(summary, what_no_sample_uses_is_left_out)
{
	OWNS(profile) struct profile *p = profile_new();
	static const struct row row = { { &module }, 1, 1 };
	profile_id unused = test_stack(p, PROFILE_NONE, &f_12);

	test_stack(p, unused, &g_31);
	add_row(p, &row, test_thread(p, 1, 1, "python3", "MainThread"));
	check(p, "<module> 1/1 | <module>@app.py:40 1 | 1 in 1 of 1");
}

/* The slow way: each sample's stack, frame by frame. */
static void check_totals(const struct profile *p, const struct summary *s)
{
	uint32_t function_count, count;
	const struct profile_frame *frames = profile_frames(p, &count);
	const struct profile_stack *stacks = profile_stacks(p, &count);
	const struct profile_sample *samples = profile_samples(p, &count);
	int64_t *totals, *selves;
	uint32_t *last;

	profile_functions(p, &function_count);
	totals = calloc(function_count + 1, sizeof(*totals));
	selves = calloc(function_count + 1, sizeof(*selves));
	last = calloc(function_count + 1, sizeof(*last));
	for (uint32_t i = 0; i < count; i++) {
		profile_id at = samples[i].stack;

		if (at != PROFILE_NONE)
			selves[frames[stacks[at].frame].function] += samples[i].weight;
		for (; at != PROFILE_NONE; at = stacks[at].prefix) {
			profile_id function = frames[stacks[at].frame].function;

			if (last[function] != i + 1)
				totals[function] += samples[i].weight;
			last[function] = i + 1;
		}
	}
	for (uint32_t i = 0; i < s->function_count; i++) {
		const struct summary_function *f = &s->functions[i];

		cr_assert(f->total == totals[f->function] && f->self == selves[f->function]);
		cr_assert(!i || f[-1].self >= f->self);
		last[f->function] = 0;
	}
	for (uint32_t i = 0; i < function_count; i++)
		cr_assert(!last[i], "function %u is missing", i);
	free(totals);
	free(selves);
	free(last);
}

/* Weights that any sum of them has room for. */
static struct profile *modest_profile(uint64_t seed)
{
	struct profile *p = test_random_profile(seed);
	uint32_t count;
	struct profile_sample *samples = (struct profile_sample *)profile_samples(p, &count);

	for (uint32_t i = 0; i < count; i++)
		samples[i].weight = (uint64_t)samples[i].weight % 1000003;
	return p;
}

Test(summary, selves_of_any_profile_add_up_to_its_samples_with_a_stack)
{
	for (uint64_t seed = 1; seed <= 200; seed++) {
		OWNS(profile) struct profile *p = modest_profile(seed);
		OWNS(summary) struct summary s = { 0 };
		int64_t with_stack = 0, all = 0, functions = 0, lines = 0;
		uint32_t count;
		const struct profile_sample *samples = profile_samples(p, &count);

		cr_assert(summary_make(p, &s) == 0);
		for (uint32_t i = 0; i < count; i++) {
			all += samples[i].weight;
			with_stack += samples[i].stack == PROFILE_NONE ? 0 : samples[i].weight;
		}
		for (uint32_t i = 0; i < s.function_count; i++)
			functions += s.functions[i].self;
		for (uint32_t i = 0; i < s.line_count; i++)
			lines += s.lines[i].self;
		cr_assert(s.weight == all && functions == with_stack && lines == with_stack,
			  "seed %" PRIu64, seed);
		check_totals(p, &s);
	}
}

/* As deep as no real stack is: the walk takes no memory of its own for it. */
Test(summary, depth_does_not_matter)
{
	OWNS(profile) struct profile *p = profile_new();
	profile_id thread = test_thread(p, 1, 1, "python3", "MainThread");
	profile_id stack = PROFILE_NONE;

	for (int i = 0; i < 100000; i++)
		stack = test_stack(p, stack, i % 2 ? &f_12 : &g_31);
	test_sample(p, stack, thread, 3, 1);
	check(p, "f 3/3 g 0/3 | f@app.py:12 3 | 3 in 1 of 1");
}
