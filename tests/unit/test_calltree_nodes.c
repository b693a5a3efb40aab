/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/resource.h"
#include "trees.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

Test(calltree, nodes_and_their_order)
{
	static const struct {
		const char *name, *samples, *from_root, *from_leaf;
		int64_t root_total;
	} rows[] = {
		{ "nothing", "", "", "", 0 },
		{ "a sample without a stack counts nowhere", "a 1| 5", "a:1,1", "a:1,1", 1 },
		{ "equal weights: by first appearance, root to leaf", "m;y;x 1|m;x 1|m;z 1",
		  "m:3,0|  y:1,0|    x:1,1|  x:1,1|  z:1,1",
		  "x:2,2|  m:1,0|  y:1,0|    m:1,0|z:1,1|  m:1,0", 3 },
		{ "first appearance is that of the function, not of the node",
		  "a;c 1|b;d 1|a;d 1|b;c 1", "a:2,0|  c:1,1|  d:1,1|b:2,0|  c:1,1|  d:1,1", NULL,
		  4 },
		{ "the larger weight first", "m;a 1|m;b 3|m;c 2", "m:6,0|  b:3,3|  c:2,2|  a:1,1",
		  "b:3,3|  m:3,0|c:2,2|  m:2,0|a:1,1|  m:1,0", 6 },
		{ "below zero: by size", "m;a 1|m;b -3|m;c 2", "m:0,0|  b:-3,-3|  c:2,2|  a:1,1",
		  "b:-3,-3|  m:-3,0|c:2,2|  m:2,0|a:1,1|  m:1,0", 6 },
		{ "what weighs nothing is not shown", "a 1|b 0|c;d 0", "a:1,1", "a:1,1", 1 },
		{ "but what is above or below is", "a;b 2|a;c -2", "a:0,0|  b:2,2|  c:-2,-2",
		  "b:2,2|  a:2,0|c:-2,-2|  a:-2,0", 4 },
		{ "from the leaf also", "a;x 2|b;x -2", "a:2,0|  x:2,2|b:-2,0|  x:-2,-2",
		  "x:0,0|  a:2,0|  b:-2,0", 4 },
		{ "samples of nothing in sum", "a;b 2|a;b -2|c 1", "c:1,1", "c:1,1", 1 },
		{ "name and file are the function", "f(x) 1|f 2|f(y) 4|f(x) 8", "f:9,9|f:4,4|f:2,2",
		  "f:9,9|f:4,4|f:2,2", 15 },
		{ "its kind is not", "f[p];g 1|f;g 2|f[k];g 4", "f:7,0|  g:7,7", "g:7,7|  f:7,0",
		  7 },
		{ "sums end at the limits", "a 9223372036854775807|a;b 9223372036854775807",
		  "a:9223372036854775807,9223372036854775807|  "
		  "b:9223372036854775807,9223372036854775807",
		  NULL, INT64_MAX },
		{ "the smallest weight is the largest",
		  "a -9223372036854775808|b 9223372036854775807",
		  "a:-9223372036854775808,-9223372036854775808|"
		  "b:9223372036854775807,9223372036854775807",
		  NULL, INT64_MAX },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		OWNS(history) struct history *h = tree_history(rows[i].samples);
		OWNS(tree_nodes) struct tree_nodes n = { 0 };
		struct buffer lines OWNS(buffer) = { 0 };

		tree_expect(history_stacks(h), rows[i].from_root, rows[i].name);
		cr_assert(tree_lines(history_stacks(h), WALK_FROM_LEAF, &lines) == 0);
		cr_expect(!rows[i].from_leaf || !strcmp(lines.data, rows[i].from_leaf),
			  "%s from the leaf:\n%s\nin place of\n%s", rows[i].name, lines.data,
			  rows[i].from_leaf);
		cr_assert(tree_nodes_make(history_stacks(h), TREE_ALL_GROUPS, &n) == 0);
		cr_expect(n.root_total == rows[i].root_total, "%s: %" PRId64, rows[i].name,
			  n.root_total);
	}
}

Test(calltree, total_is_what_is_shown_and_what_was_removed)
{
	OWNS(history) struct history *h = tree_history("a;b 3|c 4|b;c 5| 7");
	OWNS(tree_nodes) struct tree_nodes n = { 0 };

	cr_expect(tree_stacks_total(history_first_stacks(h)) == 12);
	tree_push(h, "drop:a|merge:b|focus-function:c");
	cr_assert(tree_nodes_make(history_stacks(h), TREE_ALL_GROUPS, &n) == 0);
	cr_expect(n.root_total == 9 && history_stacks(h)->removed == 3);
}

Test(calltree, weights_of_both_signs_do_not_cancel_in_the_total)
{
	OWNS(profile) struct profile *p = tree_profile("a 0");
	OWNS(history) struct history *h = NULL;
	struct profile_sample s = { .weight = 5, .count = 1 };

	profile_about(p)->keeps_order = true;
	cr_assert(profile_add_sample(p, &s) == 0);
	s.weight = -5;
	cr_assert(profile_add_sample(p, &s) == 0);
	h = history_new(p, &(struct tree_fill){ 0 });
	cr_expect(tree_stacks_total(history_stacks(h)) == 10);
	tree_push(h, "drop:a");
	cr_expect(history_stacks(h)->removed == 10);
}

Test(calltree, a_node_has_any_number_of_children)
{
	struct buffer samples OWNS(buffer) = { 0 };
	OWNS(history) struct history *h = NULL;
	OWNS(tree_nodes) struct tree_nodes n = { 0 };

	for (int i = 0; i < 400; i++)
		buffer_print(&samples, "%sm{%d};f%d 1", i ? "|" : "", i / 200, i % 100);
	h = tree_history(samples.data);
	tree_push(h, "merge:f0");
	cr_assert(tree_nodes_make(history_stacks(h), TREE_ALL_GROUPS, &n) == 0);
	cr_expect(n.count == 100 && n.root_count == 1 && n.rows[0].count == 99, "%u", n.count);
	for (uint32_t i = 1; i < n.count; i++)
		cr_expect(n.rows[i].running == 4, "%u", i);
}

#define DEEP 20000

/* f;g;f;g… with samples here and there, and at the end. */
static struct history *deep_history(void)
{
	static const struct tree_fill as_it_is = { 0 };
	OWNS(profile) struct profile *p = tree_profile("f 1|g 1");
	struct profile_sample sample = { .weight = 1, .count = 1 };
	struct profile_stack row = { .prefix = PROFILE_NONE };

	for (uint32_t i = 0; i < DEEP; i++) {
		row.frame = i % 2;
		cr_assert(profile_add_stack(p, &row, &sample.stack) == 0);
		row.prefix = sample.stack;
		if (i % 1000 == 999)
			cr_assert(profile_add_sample(p, &sample) == 0);
	}
	return history_new(p, &as_it_is);
}

static uint32_t deepest_line(const struct tree_stacks *s, enum walk_direction direction)
{
	OWNS(tree_nodes) struct tree_nodes n = { 0 };
	OWNS(walk) struct walk *w = NULL;
	struct walk_line line;
	uint32_t deepest = 0;

	cr_assert(tree_nodes_make(s, TREE_ALL_GROUPS, &n) == 0);
	w = walk_new(&n, direction);
	while (walk_next(w, &line) > 0)
		deepest = line.depth > deepest ? line.depth : deepest;
	return deepest;
}

Test(calltree, stacks_of_20000_frames_are_stacks)
{
	static const char *const transforms[] = { "merge:f",
						  "collapse-recursion:f",
						  "focus-inverted:g;f;g",
						  "filter-suffix:g;f;g",
						  "focus-self:f",
						  "collapse-direct-recursion@kernel:f",
						  "merge-node:f;g;f",
						  "collapse-subtree:g" };

	for (size_t i = 0; i < sizeof(transforms) / sizeof(*transforms); i++) {
		OWNS(history) struct history *h = deep_history();

		cr_expect(deepest_line(history_stacks(h), WALK_FROM_ROOT) == DEEP - 1);
		cr_expect(deepest_line(history_stacks(h), WALK_FROM_LEAF) == DEEP - 1);
		tree_push(h, transforms[i]);
		deepest_line(history_stacks(h), WALK_FROM_LEAF);
	}
}

Test(calltree, a_walk_can_skip_what_is_below)
{
	OWNS(history) struct history *h = tree_history("a;b 5|a;c 4|d;e 1|d;b;c 2|d;c 8");

	for (int direction = WALK_FROM_ROOT; direction <= WALK_FROM_LEAF; direction++) {
		OWNS(tree_nodes) struct tree_nodes n = { 0 };
		OWNS(walk) struct walk *w = NULL;
		struct buffer names OWNS(buffer) = { 0 };
		struct walk_line line;

		cr_assert(tree_nodes_make(history_stacks(h), TREE_ALL_GROUPS, &n) == 0);
		w = walk_new(&n, direction);
		while (walk_next(w, &line) > 0) {
			buffer_print(&names, "%s%u%s", names.len ? " " : "", line.depth,
				     tree_function_name(n.functions, line.function));
			if (line.running < 10)
				walk_skip(w);
		}
		cr_expect(!strcmp(names.data, direction == WALK_FROM_ROOT ? "0d 1c 1b 1e 0a"
									  : "0c 1d 1a 1b 0b 0e"),
			  "%s", names.data);
	}
}

Test(calltree, threads_can_have_trees_of_their_own)
{
	static const uint32_t group_of[] = { 0, 1 };
	OWNS(profile) struct profile *p = tree_profile("a;b 1|a;c 2");
	struct profile_sample sample = { .weight = 4, .count = 1 };
	OWNS(history) struct history *h = NULL;
	static const char *const lines[] = { "2 1 1", "4 4 0" };

	cr_assert(profile_add_thread(p, &(struct profile_thread){ .tid = 9 }, &sample.thread) == 0);
	sample.stack = 1;
	cr_assert(profile_add_sample(p, &sample) == 0);
	h = history_new(p, &(struct tree_fill){ .group_of = group_of });
	tree_push(h, "merge:c");
	for (uint32_t group = 0; group < 2; group++) {
		OWNS(tree_nodes) struct tree_nodes n = { 0 };
		struct buffer text OWNS(buffer) = { 0 };

		cr_assert(tree_nodes_make(history_stacks(h), group, &n) == 0);
		buffer_print(&text, "%" PRId64 " %" PRId64 " %" PRId64, n.rows[0].self,
			     n.rows[1].self, n.rows[0].running - n.rows[0].self);
		cr_expect(n.count == 2 && n.root_total == (group ? 4 : 3), "%s %s", text.data,
			  lines[group]);
		cr_expect(n.rows[0].self == (group ? 0 : 2) && n.rows[1].self == (group ? 4 : 1),
			  "%s", text.data);
	}
}

Test(calltree, resources_of_files)
{
	static const struct {
		const char *file;
		enum profile_kind kind;
		const char *resource;
	} rows[] = {
		{ "/usr/lib/python3/dist-packages/yaml/loader.py", PROFILE_PYTHON, "yaml" },
		{ "/v/lib/python3.11/site-packages/numpy/core/a.py", PROFILE_PYTHON, "numpy" },
		{ "/v/lib/python3.11/site-packages/six.py", PROFILE_PYTHON, "six" },
		{ "/usr/lib/python3.11/json/decoder.py", PROFILE_PYTHON, "json" },
		{ "/usr/lib/python3.11/random.py", PROFILE_PYTHON, "random" },
		{ "lib/python3.11/random.py", PROFILE_PYTHON, "random" },
		{ "/a/site-packages/x/lib/python3.9/y/z.py", PROFILE_PYTHON, "y" },
		{ "/a/lib/python3.9/site-packages/x/site-packages/y.py", PROFILE_PYTHON, "y" },
		{ "/usr/lib/python3/x.py", PROFILE_PYTHON, "/usr/lib/python3/x.py" },
		{ "/usr/lib/python3.11", PROFILE_PYTHON, "/usr/lib/python3.11" },
		{ "/a/mysite-packages/x.py", PROFILE_PYTHON, "/a/mysite-packages/x.py" },
		{ "/a/site-packages/", PROFILE_PYTHON, "/a/site-packages/" },
		{ "/a/site-packages/.py", PROFILE_PYTHON, ".py" },
		{ "/home/me/app.py", PROFILE_PYTHON, "/home/me/app.py" },
		{ "<frozen importlib._bootstrap>", PROFILE_PYTHON,
		  "<frozen importlib._bootstrap>" },
		{ "", PROFILE_PYTHON, "" },
		{ "/v/lib/python3.11/site-packages/numpy/core/a.so", PROFILE_NATIVE,
		  "/v/lib/python3.11/site-packages/numpy/core/a.so" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t len = 0;
		const char *at = resource_of(rows[i].file, rows[i].kind, &len);

		cr_expect(len == strlen(rows[i].resource) && !memcmp(at, rows[i].resource, len),
			  "%s: %.*s", rows[i].file, (int)len, at);
	}
}
