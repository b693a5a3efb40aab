/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any profile, written and read again, has the same functions, weights and shape, and as
 * much else as the format carries.
 */
#include "imported.h"
#include "profile/weight.h"
#include "profiles.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <string.h>
#include <time.h>

/* Of each format: 5,100 in all; sanitized, where each takes four times as long, fewer. */
#ifdef __SANITIZE_ADDRESS__
#define PROFILES 100
#else
#define PROFILES 1700
#endif

/* What is left of a frame in a format, appended to @out. */
typedef void keep_frame(const struct profile *p, const struct profile_function *f,
			struct buffer *out);

struct format {
	char name[16];
	enum import_kind kind;
	keep_frame *keep;
	int has_unit;
};

static uint32_t below(uint64_t *state, uint32_t end)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return (*state >> 33) % end;
}

/* A random profile's stacks, with weights that can be added up. */
static struct profile *make_profile(uint64_t seed)
{
	static const char *const units[] = { "samples", "nanoseconds", "bytes", "seconds" };
	OWNS(profile) struct profile *from = test_random_profile(seed);
	struct profile *p = profile_new();
	uint32_t count;
	profile_id id;

	for (profile_id i = 0; i < profile_string_count(from); i++)
		cr_assert(profile_add_string(p, profile_string(from, i),
					     profile_string_len(from, i), &id) == 0);
	const struct profile_function *functions = profile_functions(from, &count);
	for (uint32_t i = 0; i < count; i++)
		cr_assert(profile_add_function(p, &functions[i], &id) == 0);
	const struct profile_frame *frames = profile_frames(from, &count);
	for (uint32_t i = 0; i < count; i++)
		cr_assert(profile_add_frame(p, &frames[i], &id) == 0);
	const struct profile_stack *stacks = profile_stacks(from, &count);
	for (uint32_t i = 0; i < count; i++)
		cr_assert(profile_add_stack(p, &stacks[i], &id) == 0);
	profile_about(p)->decimals = below(&seed, 4);
	profile_about(p)->unit = test_string(p, units[below(&seed, 4)]);
	for (uint32_t i = 0; i < count; i++)
		if (below(&seed, 2))
			test_sample(p, below(&seed, count),
				    test_thread(p, 1, below(&seed, 3), "a", "b"),
				    1 + below(&seed, 1000000), 1);
	return p;
}

static void add_text(const struct profile *p, profile_id text, struct buffer *out)
{
	buffer_add(out, profile_string(p, text), profile_string_len(p, text));
	buffer_add(out, "\1", 1);
}

static void keep_pprof(const struct profile *p, const struct profile_function *f,
		       struct buffer *out)
{
	add_text(p, f->name, out);
	add_text(p, f->file, out);
	buffer_print(out, "%u %s\2", f->first_line, profile_kind_name(f->kind));
}

static void keep_speedscope(const struct profile *p, const struct profile_function *f,
			    struct buffer *out)
{
	add_text(p, f->name, out);
	add_text(p, f->file, out);
	buffer_print(out, "%u\2", f->first_line);
}

static void keep_collapsed(const struct profile *p, const struct profile_function *f,
			   struct buffer *out)
{
	if (profile_string_len(p, f->name))
		add_text(p, f->name, out);
	else
		buffer_add_text(out, "[unknown]\1");
	if (f->kind == PROFILE_PYTHON && f->file) {
		add_text(p, f->file, out);
		buffer_print(out, "%u python\2", f->first_line);
	} else {
		buffer_add_text(out, f->kind == PROFILE_KERNEL ? "kernel\2" : "native\2");
	}
}

static void keep_stack(const struct profile *p, profile_id stack, keep_frame *keep,
		       struct buffer *out)
{
	uint32_t count;
	const struct profile_stack *stacks = profile_stacks(p, &count);
	const struct profile_frame *frames = profile_frames(p, &count);
	const struct profile_function *functions = profile_functions(p, &count);

	for (; stack != PROFILE_NONE; stack = stacks[stack].prefix)
		keep(p, &functions[frames[stacks[stack].frame].function], out);
}

struct sum {
	struct buffer stack;
	int64_t weight;
};

static int compare(const void *a, const void *b)
{
	const struct buffer *left = a, *right = b;
	int order =
		memcmp(left->data, right->data, left->len < right->len ? left->len : right->len);

	return order ? order : (left->len > right->len) - (left->len < right->len);
}

/* All stacks that a sample has, sorted, each with its weight. */
static void keep_profile(const struct profile *p, keep_frame *keep, struct buffer *out)
{
	uint32_t count;
	const struct profile_sample *samples = profile_samples(p, &count);
	struct sum *sums = calloc(count + 1, sizeof(*sums));

	for (uint32_t i = 0; i < count; i++) {
		keep_stack(p, samples[i].stack, keep, &sums[i].stack);
		sums[i].weight = samples[i].weight;
	}
	qsort(sums, count, sizeof(*sums), compare);
	for (uint32_t i = 0; i < count; i++) {
		if (i + 1 < count && compare(&sums[i], &sums[i + 1]) == 0) {
			sums[i + 1].weight += sums[i].weight;
		} else {
			buffer_add(out, sums[i].stack.data, sums[i].stack.len);
			weight_print(out, sums[i].weight, profile_about_get(p)->decimals);
			buffer_add_text(out, "\n");
		}
		buffer_fini(&sums[i].stack);
	}
	free(sums);
}

/* Criterion hands rows to a child process, where these functions are where they were. */
static const struct format formats[] = {
	{ "collapsed", IMPORT_COLLAPSED, keep_collapsed, 0 },
	{ "speedscope", IMPORT_SPEEDSCOPE, keep_speedscope, 1 },
	{ "pprof", IMPORT_PPROF, keep_pprof, 1 },
};

static void expect_same(const struct format *f, const struct profile *p, uint64_t seed)
{
	OWNS(profile) struct profile *back = profile_new();
	struct buffer file OWNS(buffer) = { 0 }, why OWNS(buffer) = { 0 };
	struct buffer before OWNS(buffer) = { 0 }, after OWNS(buffer) = { 0 };
	OWNS(import_facts) struct import_facts facts = { 0 };
	const char *unit = profile_string(p, profile_about_get(p)->unit);
	int err;

	test_export(f->name, p, NULL, 0, &file);
	err = import_profile(file.data, file.len, NULL, back, &facts, &why);
	cr_assert(err == 0 && facts.kind == f->kind, "%s, seed %lu: %d %s\n%s", f->name, seed, err,
		  why.data, file.data);
	keep_profile(p, f->keep, &before);
	keep_profile(back, f->keep, &after);
	cr_assert(before.len == after.len && memcmp(before.data, after.data, before.len) == 0,
		  "%s, seed %lu:\n%s\n--- became\n%s", f->name, seed, before.data, after.data);
	cr_assert(eq(str, (char *)profile_string(back, profile_about_get(back)->unit),
		     (char *)(f->has_unit ? unit : "samples")));
}

static void expect_all_same(const struct format *f)
{
	uint64_t start = time(NULL) * 100000ull;

	cr_log_info("%s: seeds from %lu", f->name, start);
	for (uint64_t seed = start; seed < start + PROFILES; seed++) {
		OWNS(profile) struct profile *p = make_profile(seed);
		uint32_t count;

		profile_samples(p, &count);
		if (count)
			expect_same(f, p, seed);
	}
}

Test(import_round_trip, collapsed)
{
	expect_all_same(&formats[0]);
}

Test(import_round_trip, speedscope)
{
	expect_all_same(&formats[1]);
}

Test(import_round_trip, pprof)
{
	expect_all_same(&formats[2]);
}
