/* SPDX-License-Identifier: Apache-2.0 */
/* Who allocated, as a profile, and as the files that are made of it. */
#include "cli/heap_stacks_profile.h"

#include "export/exporter.h"
#include "import/pprof.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#define HEAP(tier, stacks, growth)                                                                \
	"{\"pid\":42,\"name\":\"python3\",\"python\":\"3.11.2\",\"time_ns\":1700000000000000000," \
	"\"session\":{\"tier\":\"" tier "\"},\"stacks\":[" stacks "],\"growth\":[" growth "]}"
#define FRAME(function, file, line, kind)                                                         \
	"{\"function\":\"" function "\",\"file\":\"" file "\",\"line\":" line ",\"kind\":\"" kind \
	"\"}"
#define ROW(frames, bytes, objects) \
	"{\"frames\":[" frames "],\"bytes\":" bytes ",\"objects\":" objects "}"
#define MAIN FRAME("<module>", "main.py", "9", "python")
#define LEAK FRAME("leak", "app.py", "4", "python")
#define REALLOC FRAME("realloc", "", "0", "native")

static const char live[] = HEAP("trace",
				ROW(REALLOC "," LEAK "," MAIN, "1000.4", "10.4") "," ROW(
					LEAK "," MAIN, "500.4", "5.4") "," ROW("", "7.4", "1"),
				ROW(MAIN, "99", "1"));
static const char grown[] = HEAP(
	"growth", ROW(MAIN, "99", "1"),
	ROW(LEAK "," MAIN, "500.25", "5") "," ROW(
		FRAME("[shared size class of 64 bytes: cannot tell]", "", "0", "python") "," MAIN,
		"4096", "64") "," ROW(MAIN, "-100.5", "-3"));

static int add(struct profile *p, const char *text, struct buffer *why)
{
	json_t *json = json_loads(text, JSON_ALLOW_NUL, NULL);
	int err;

	cr_assert(json != NULL, "%s", text);
	cr_assert(heap_stacks_profile_fits(json));
	err = heap_stacks_profile_add(p, json, why);
	json_decref(json);
	return err;
}

static void expect_file(const char *text, const char *format, const struct export_options *o,
			const char *want)
{
	OWNS(profile) struct profile *p = profile_new();
	OWNS(buffer) struct buffer out = { 0 }, why = { 0 };

	cr_assert(add(p, text, &why) == 0, "%s", why.data);
	cr_assert(exporter_find(format)->write(p, o, &out) == 0);
	cr_assert(!strcmp(out.data, want), "%s", out.data);
}

Test(cli_heap_stacks_profile, what_lives_is_below_who_allocated_it)
{
	static const struct export_options usual, objects = { .as_samples = true };

	expect_file(live, "collapsed", &usual,
		    "<module> (main.py:9);leak (app.py:4) 501\n"
		    "<module> (main.py:9);leak (app.py:4);realloc 1000\n[unknown] 7\n");
	expect_file(live, "collapsed", &objects,
		    "<module> (main.py:9);leak (app.py:4) 6\n"
		    "<module> (main.py:9);leak (app.py:4);realloc 10\n[unknown] 1\n");
}

Test(cli_heap_stacks_profile, what_grew_is_below_who_made_it_grow)
{
	static const struct export_options usual;

	expect_file(grown, "collapsed", &usual,
		    "<module> (main.py:9);[shared size class of 64 bytes: cannot tell] 4096\n"
		    "<module> (main.py:9);leak (app.py:4) 500\n");
}

static void sums_of(const struct profile *p, int64_t *weight, uint64_t *count)
{
	const struct profile_sample *rows;
	uint32_t n;

	*weight = *count = 0;
	rows = profile_samples(p, &n);
	for (uint32_t i = 0; i < n; i++) {
		*weight += rows[i].weight;
		*count += rows[i].count;
	}
}

Test(cli_heap_stacks_profile, weights_add_up_to_the_estimates)
{
	static const struct {
		const char *text;
		int64_t weight;
		uint64_t count;
	} cases[] = {
		{ live, 1508, 17 },
		{ grown, 4596, 69 },
		{ HEAP("trace", ROW(LEAK, "0.4", "0.5") "," ROW(MAIN, "0.4", "0.5"), ""), 1, 1 },
		{ HEAP("trace", ROW(LEAK, "70368744177663", "70368744177663"), ""), 70368744177663,
		  70368744177663 },
		{ HEAP("growth", "", ""), 0, 0 },
		{ "{\"pid\":1,\"session\":{},\"growth\":[" ROW(
			  LEAK, "8", "1") "],\"growth_omitted\":{\"rows\":2,\"bytes\":5,"
					  "\"objects\":2}}",
		  13, 3 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		OWNS(profile) struct profile *p = profile_new();
		OWNS(buffer) struct buffer why = { 0 };
		int64_t weight;
		uint64_t count;

		cr_assert(add(p, cases[i].text, &why) == 0, "%s", why.data);
		sums_of(p, &weight, &count);
		cr_expect(weight == cases[i].weight, "%zu: %ld", i, (long)weight);
		cr_expect(count == cases[i].count, "%zu: %lu", i, (unsigned long)count);
	}
}

Test(cli_heap_stacks_profile, frames_keep_their_kind_and_line)
{
	OWNS(profile) struct profile *p = profile_new();
	OWNS(buffer) struct buffer why = { 0 };
	const struct profile_function *functions;
	const struct profile_frame *frames;
	uint32_t count;

	cr_assert(add(p, live, &why) == 0);
	frames = profile_frames(p, &count);
	cr_assert(count == 3);
	functions = profile_functions(p, &count);
	cr_assert(count == 3);
	for (uint32_t i = 0; i < 3; i++) {
		const struct profile_function *f = &functions[frames[i].function];
		bool is_native = !strcmp(profile_string(p, f->name), "realloc");

		cr_expect(f->kind == (is_native ? PROFILE_NATIVE : PROFILE_PYTHON));
		cr_expect((frames[i].line == 0) == is_native);
	}
}

/* As Go's tools know a heap. */
Test(cli_heap_stacks_profile, a_pprof_says_what_its_bytes_are)
{
	static const struct {
		const char *text, *type;
	} cases[] = { { live, "inuse_space" }, { grown, "growth_space" } };

	for (size_t i = 0; i < 2; i++) {
		OWNS(profile) struct profile *p = profile_new();
		OWNS(buffer) struct buffer out = { 0 }, why = { 0 };
		int err;

		cr_assert(add(p, cases[i].text, &why) == 0);
		cr_assert(!strcmp(profile_string(p, profile_about_get(p)->weighed), cases[i].type));
		cr_assert(export_pprof.write(p, &(struct export_options){ 0 }, &out) == 0);
		OWNS(profile) struct profile *back = import_pprof(out.data, out.len, &err);
		cr_assert(back != NULL);
		cr_assert(!strcmp(profile_string(back, profile_about_get(back)->weighed),
				  cases[i].type));
	}
}

Test(cli_heap_stacks_profile, every_format_takes_it_also_if_nothing_grew)
{
	static const char *const texts[] = { live, grown, HEAP("growth", "", "") };

	for (unsigned int i = 0; exporter_at(i); i++)
		for (size_t t = 0; t < 3; t++) {
			OWNS(profile) struct profile *p = profile_new();
			OWNS(buffer) struct buffer out = { 0 }, why = { 0 };

			cr_assert(add(p, texts[t], &why) == 0);
			cr_expect(exporter_at(i)->write(p, &(struct export_options){ 0 }, &out) ==
					  0,
				  "%s", exporter_at(i)->name);
		}
}

Test(cli_heap_stacks_profile, what_cannot_be_is_refused)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "{\"pid\":1,\"session\":{}}", "no list of stacks, or one of too many" },
		{ "{\"pid\":1,\"session\":{},\"growth\":{}}",
		  "no list of stacks, or one of too many" },
		{ "{\"session\":{},\"growth\":[]}", "a heap without a process" },
		{ "{\"pid\":-1,\"session\":{},\"growth\":[]}", "a heap without a process" },
		{ "{\"pid\":4294967297,\"session\":{},\"growth\":[]}", "a heap without a process" },
		{ HEAP("trace", "3", ""), "a stack without frames" },
		{ HEAP("trace", "{\"frames\":[]}", ""),
		  "a stack without bytes and objects, or with more than can be" },
		{ HEAP("trace", ROW(MAIN, "\"1\"", "1"), ""),
		  "a stack without bytes and objects, or with more than can be" },
		{ HEAP("trace", ROW(MAIN, "1", "null"), ""),
		  "a stack without bytes and objects, or with more than can be" },
		{ HEAP("trace", ROW(MAIN, "1e300", "1"), ""),
		  "a stack without bytes and objects, or with more than can be" },
		{ HEAP("trace", ROW(MAIN, "1", "70368744177664"), ""),
		  "a stack without bytes and objects, or with more than can be" },
		{ HEAP("trace", "{\"bytes\":1,\"objects\":1}", ""), "a stack without frames" },
		{ HEAP("trace", ROW("7", "1", "1"), ""), "a frame without a function" },
		{ HEAP("trace", ROW("{\"function\":null}", "1", "1"), ""),
		  "a frame without a function" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		OWNS(profile) struct profile *p = profile_new();
		OWNS(buffer) struct buffer why = { 0 };

		cr_expect(add(p, cases[i].text, &why) == -EBADMSG, "%s", cases[i].text);
		cr_expect(why.data && !strcmp(why.data, cases[i].why), "%s: %s", cases[i].text,
			  why.data);
	}
}

Test(cli_heap_stacks_profile, odd_names_and_lines_are_made_harmless)
{
	static const struct export_options usual;

	expect_file("{\"pid\":1,\"session\":{\"tier\":\"trace\"},\"stacks\":[{\"bytes\":5,"
		    "\"objects\":1,\"frames\":[{\"function\":\"a;b\\nc\",\"line\":-4,\"file\":7},{"
		    "\"function\":\"\\u0000x\",\"line\":1e3,\"kind\":[]}]}]}",
		    "collapsed", &usual, "\\x00x;a\\x3bb\\x0ac 5\n");
}

Test(cli_heap_stacks_profile, a_heap_that_nobody_looks_at_does_not_fit)
{
	static const char *const texts[] = { "{}", "{\"session\":null}", "{\"session\":[]}", "3" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		json_t *json = json_loads(texts[i], JSON_DECODE_ANY, NULL);

		cr_expect(!heap_stacks_profile_fits(json), "%s", texts[i]);
		json_decref(json);
	}
}
