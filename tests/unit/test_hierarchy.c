/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/hierarchy.h"
#include "calltree/simple_name.h"
#include "imported.h"
#include "profiles.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Whether @name is one of the words in @targets. */
static bool is_word(const char *targets, const char *name)
{
	const char *at = targets;
	size_t len = strlen(name);

	while (len && (at = strstr(at, name))) {
		if ((at == targets || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
		at += len;
	}
	return false;
}

static void make(const struct profile *p, const char *targets, struct hierarchy *h)
{
	OWNS_MEM bool *is_target = calloc(profile_string_count(p), sizeof(*is_target));

	for (profile_id i = 0; i < profile_string_count(p); i++)
		is_target[i] = is_word(targets, profile_string(p, i));
	cr_assert(hierarchy_make(p, NULL, is_target, h) == 0);
}

static const char *name_of(const struct hierarchy *h, const struct profile *p, uint32_t entry)
{
	return profile_string(p, h->entries[entry].symbol);
}

static void add_path(const struct hierarchy *h, const struct profile *p, uint32_t node,
		     struct buffer *out)
{
	uint32_t depth = 0;

	for (uint32_t at = node; at != HIERARCHY_NONE; at = h->nodes[at].parent)
		depth++;
	for (uint32_t i = 0; i < depth; i++) {
		uint32_t at = node;

		for (uint32_t up = i + 1; up < depth; up++)
			at = h->nodes[at].parent;
		buffer_print(out, "%s%s", i ? "/" : "", name_of(h, p, h->nodes[at].entry));
	}
}

/*
 * Entries as "NAME children self adjusted", relations as "CALLER>CALLEE weight", nodes as
 * "PATH weight"; each kind in the order that it comes in.
 */
static void describe(const struct hierarchy *h, const struct profile *p, struct buffer *out)
{
	buffer_print(out, "of %" PRId64, h->total);
	for (uint32_t i = 0; i < h->entry_count; i++)
		buffer_print(out, "; %s %" PRId64 " %" PRId64 " %" PRId64, name_of(h, p, i),
			     h->entries[i].children, h->entries[i].self, h->entries[i].adjusted);
	buffer_add_text(out, " |");
	for (uint32_t i = 0; i < h->relation_count; i++)
		buffer_print(out, " %s>%s %" PRId64, name_of(h, p, h->relations[i].caller),
			     name_of(h, p, h->relations[i].callee), h->relations[i].weight);
	buffer_add_text(out, " |");
	for (uint32_t i = 0; i < h->node_count; i++) {
		buffer_add_text(out, " ");
		add_path(h, p, i, out);
		buffer_print(out, " %" PRId64, h->nodes[i].weight);
	}
}

struct row {
	const char *samples; /* collapsed */
	const char *targets;
	const char *expect;
};

static const struct row rows[] = {
	{ "A;B;C 5\nA;C 2\nA 1", "A C", "of 8; A 8 1 8; C 7 7 0 | A>C 7 | A 8 A/C 7" },
	/* the nearest target above is the caller; what it is called by comes with it */
	{ "A;B;C 5\nA;C 2", "A B C",
	  "of 7; A 7 0 7; B 5 0 0; C 7 7 0 | A>B 5 B>C 5 A>C 2 | A 7 A/B 5 A/B/C 5 A/C 2" },
	/* a repeated occurrence of the nearest target counts, and its path is as it was */
	{ "A;B;A;C 4", "A B C", "of 4; A 4 0 4; B 4 0 0; C 4 4 0 | A>B 4 A>C 4 | A 4 A/B 4 A/C 4" },
	/* recursion, and mutual recursion from both ends */
	{ "A;A;x;A 3\nA 1", "A", "of 4; A 4 4 4 | | A 4" },
	{ "A;B;A;B 2\nB;A;B;A;B 3", "A B",
	  "of 5; A 5 0 2; B 5 5 3 | A>B 2 B>A 3 | A 2 A/B 2 B 3 B/A 3" },
	/* several callers, and one that stands alone at times */
	{ "A;C 1\nB;C 2\nC 4", "A B C",
	  "of 7; A 1 0 1; C 7 7 4; B 2 0 2 | A>C 1 B>C 2 | A 1 A/C 1 B 2 B/C 2 C 4" },
	/* no relation; no target at all */
	{ "A;x 1\nB 2", "A B", "of 3; A 1 0 1; B 2 2 2 | | A 1 B 2" },
	{ "A;x 1\nB 2", "none", "of 3 | |" },
	/* a name that is a target, but no function's */
	{ "A;x 1", "A collapsed samples", "of 1; A 1 0 1 | | A 1" },
	/* 4934 of 10000 below A, of which 1723 of 10000: 850 of 10000 of A */
	{ "A;B;C 85010\nA;B;D 408390\nA 506600\nE 392758", "A C",
	  "of 1392758; A 1000000 506600 1000000; C 85010 85010 0 | A>C 85010 | A 1000000 A/C "
	  "85010" },
};

Test(hierarchy, is_of_each_sample_and_its_nearest_targets)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		OWNS(profile) struct profile *p = profile_new();
		OWNS(import_facts) struct import_facts facts = { 0 };
		OWNS(hierarchy) struct hierarchy h = { 0 };
		struct buffer why OWNS(buffer) = { 0 }, out OWNS(buffer) = { 0 };

		cr_assert(import_profile(rows[i].samples, strlen(rows[i].samples), NULL, p, &facts,
					 &why) == 0);
		make(p, rows[i].targets, &h);
		describe(&h, p, &out);
		cr_assert(eq(str, out.data, (char *)rows[i].expect));
	}
}

static profile_id add_function(struct profile *p, profile_id prefix, const char *name,
			       const char *file, enum profile_kind kind)
{
	const struct test_frame frame = { name, file, 1, 2, kind };

	return test_stack(p, prefix, &frame);
}

Test(hierarchy, has_one_entry_for_a_name_in_all_files_threads_and_kinds)
{
	OWNS(profile) struct profile *p = profile_new();
	OWNS(hierarchy) struct hierarchy h = { 0 };
	struct buffer out OWNS(buffer) = { 0 };
	profile_id a = test_thread(p, 1, 1, "a", ""), b = test_thread(p, 2, 2, "b", "");
	profile_id A = add_function(p, PROFILE_NONE, "A", "/a.py", PROFILE_PYTHON);
	profile_id B = add_function(p, A, "B", "/b.py", PROFILE_PYTHON);

	test_sample(p, B, a, 1, 1);
	test_sample(p, B, b, 2, 1);
	test_sample(p, add_function(p, B, "A", "", PROFILE_NATIVE), a, 4, 1);
	test_sample(p, add_function(p, PROFILE_NONE, "A", "vmlinux", PROFILE_KERNEL), b, 8, 1);
	make(p, "A B", &h);
	describe(&h, p, &out);
	cr_assert(eq(str, out.data, "of 15; A 15 12 15; B 7 3 0 | A>B 7 | A 15 A/B 7"));
}

Test(hierarchy, counts_samples_without_a_stack_and_no_stacks_without_samples)
{
	OWNS(profile) struct profile *p = profile_new();
	OWNS(hierarchy) struct hierarchy h = { 0 };
	struct buffer out OWNS(buffer) = { 0 };
	profile_id thread = test_thread(p, 1, 1, "a", "");
	profile_id A = add_function(p, PROFILE_NONE, "A", "", PROFILE_NATIVE);

	add_function(p, A, "B", "", PROFILE_NATIVE);
	test_sample(p, A, thread, 3, 1);
	test_sample(p, PROFILE_NONE, thread, 5, 1);
	make(p, "A B", &h);
	describe(&h, p, &out);
	cr_assert(eq(str, out.data, "of 8; A 3 3 3 | | A 3"));
}

Test(hierarchy, takes_weights_that_are_nothing_or_less)
{
	OWNS(profile) struct profile *p = profile_new();
	OWNS(hierarchy) struct hierarchy h = { 0 };
	struct buffer out OWNS(buffer) = { 0 };
	profile_id thread = test_thread(p, 1, 1, "a", "");
	profile_id A = add_function(p, PROFILE_NONE, "A", "", PROFILE_NATIVE);
	profile_id B = add_function(p, A, "B", "", PROFILE_NATIVE);

	test_sample(p, A, thread, 3, 1);
	test_sample(p, B, thread, -3, 1);
	test_sample(p, add_function(p, B, "C", "", PROFILE_NATIVE), thread, 0, 1);
	make(p, "A B C", &h);
	describe(&h, p, &out);
	cr_assert(eq(str, out.data, "of 0; A 0 3 0; B -3 -3 0; C 0 0 0 | A>B -3 | A 0 A/B -3"));
}

Test(hierarchy, sums_end_at_their_limits)
{
	OWNS(profile) struct profile *p = profile_new();
	OWNS(hierarchy) struct hierarchy h = { 0 };
	profile_id thread = test_thread(p, 1, 1, "a", "");
	profile_id A = add_function(p, PROFILE_NONE, "A", "", PROFILE_NATIVE);

	test_sample(p, A, thread, INT64_MAX, 1);
	test_sample(p, add_function(p, A, "B", "", PROFILE_NATIVE), thread, INT64_MAX, 1);
	make(p, "A B", &h);
	cr_assert(h.total == INT64_MAX && h.entries[0].children == INT64_MAX);
}

Test(hierarchy, of_a_million_frames_needs_no_stack_of_its_own)
{
	OWNS(profile) struct profile *p = profile_new();
	OWNS(hierarchy) struct hierarchy h = { 0 };
	struct profile_stack stack = { .prefix = PROFILE_NONE };
	static const char *const names[] = { "A", "x", "B" };
	profile_id frames[3];

	for (int i = 0; i < 3; i++) {
		struct profile_function f = { .name = test_string(p, names[i]) };
		struct profile_frame frame = { 0 };

		cr_assert(profile_add_function(p, &f, &frame.function) == 0);
		cr_assert(profile_add_frame(p, &frame, &frames[i]) == 0);
	}
	for (int i = 0; i < 1000000; i++) {
		stack.frame = frames[i % 3];
		cr_assert(profile_add_stack(p, &stack, &stack.prefix) == 0);
	}
	test_sample(p, stack.prefix, test_thread(p, 1, 1, "a", ""), 2, 1);
	make(p, "A B", &h);
	cr_assert(h.entry_count == 2 && h.relation_count == 1 && h.node_count == 2);
	cr_assert(h.relations[0].weight == 2);
}

/*
 * 435 samples of 1,001,001 ns each, as counted from the text by other means: main 348, work
 * 215, leaf_a 255, leaf_b 68, fib 102, ping 15 of them, and so on.
 */
static const char rec_expect[] =
	"of 435435435; main 348348348 0 348348348; work 215215215 0 0; "
	"leaf_a 255255255 255255255 0; leaf_b 68068068 67067067 0; fib 102102102 8008008 0; "
	"ping 15015015 0 0 | "
	"main>work 215215215 work>leaf_a 163163163 work>leaf_b 52052052 main>fib 102102102 "
	"fib>leaf_a 82082082 fib>leaf_b 12012012 main>ping 15015015 ping>leaf_a 10010010 "
	"ping>leaf_b 4004004 | "
	"main 348348348 main/work 215215215 main/work/leaf_a 163163163 "
	"main/work/leaf_b 52052052 main/fib 102102102 main/fib/leaf_a 82082082 "
	"main/fib/leaf_b 12012012 main/ping 15015015 main/ping/leaf_a 10010010 "
	"main/ping/leaf_b 4004004";

Test(hierarchy, of_perf_script_is_what_perf_counts)
{
	OWNS(profile) struct profile *p = profile_new();
	OWNS(import_facts) struct import_facts facts = { 0 };
	OWNS(hierarchy) struct hierarchy h = { 0 };
	struct buffer text OWNS(buffer) = { 0 }, why OWNS(buffer) = { 0 }, out OWNS(buffer) = { 0 };

	imported_file("perf/rec.script.txt", &text);
	cr_assert(import_profile(text.data, text.len, NULL, p, &facts, &why) == 0);
	make(p, "main work leaf_a leaf_b fib ping", &h);
	describe(&h, p, &out);
	cr_assert(eq(str, out.data, (char *)rec_expect));
}
