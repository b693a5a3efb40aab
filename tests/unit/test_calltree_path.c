/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/transform_text.h"
#include "trees.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

/* The functions of `A;B;C`, or none of "". */
static struct tree_path path_of(const struct tree_functions *fs, const char *names)
{
	struct tree_path path = { .functions = calloc(strlen(names) + 1, sizeof(uint32_t)) };

	while (*names) {
		size_t len = strcspn(names, ";");
		uint32_t f = 0;

		while (strlen(tree_function_name(fs, f)) != len ||
		       memcmp(tree_function_name(fs, f), names, len))
			f++;
		path.functions[path.count++] = f;
		names += len + (names[len] == ';');
	}
	return path;
}

static void expect_path(const struct tree_path *path, const struct tree_functions *fs,
			const char *names, const char *what)
{
	struct buffer got OWNS(buffer) = { 0 };

	buffer_add_text(&got, "");
	for (uint32_t i = 0; i < path->count; i++)
		buffer_print(&got, "%s%s", i ? ";" : "",
			     tree_function_name(fs, path->functions[i]));
	cr_expect(!strcmp(got.data, names), "%s: %s in place of %s", what, got.data, names);
}

static const struct {
	const char *samples, *transforms, *path, *after;
} updates[] = {
	{ "A;B;C;D;E 1", "merge-node:A;B;C", "A;B;C;D;E", "A;B;D;E" },
	{ "A;B;C 1|A;C 1", "merge-node:A;B", "A;C", "A;C" },
	{ "A;B;C 1", "merge-node:A;B", "A", "A" },
	{ "A;B;C 1", "merge-node:A", "A", "" },
	{ "A;B;C 1", "focus:A;B", "A;B;C", "B;C" },
	{ "A;B;C 1|D 1", "focus:A;B", "D", "" },
	{ "A;B;C 1", "focus:A;B", "A", "" },
	{ "A;B;C 1", "focus-inverted:C;B", "C;B;A", "B;A" },
	{ "A;B;C 1", "merge-subtree:A;B", "A;B;C", "A" },
	{ "A;B;C 1|A;C 1", "merge-subtree:A;B", "A;C", "A;C" },
	{ "A;B;C 1", "hide:A;B", "A;B;C", "" },
	{ "A;B;C 1|A;C 1", "hide:A;B", "A;C", "A;C" },
	{ "A;B;C 1", "filter-prefix:A;B", "A;B;C", "A;B;C" },
	{ "A;B;C 1", "filter-suffix:B;C", "A", "A" },
	{ "A;B;C 1", "filter-include:B", "A", "A" },
	{ "A;B;A;C 1", "merge:A", "A;B;A;C", "B;C" },
	{ "A;B;C 1", "drop:B", "A;B", "" },
	{ "A;B 1|A;C 1", "drop:B", "A;C", "A;C" },
	{ "A;B;C;B;D 1", "focus-function:B", "A;B;C;B", "B;C;B" },
	{ "A;B;C 1", "focus-function:B", "A", "" },
	{ "A;B;C 1|A;B 1", "focus-self:B", "A;B;C", "B" },
	{ "A;B;C 1|A;B 1", "focus-self:B", "A", "" },
	{ "A;F;G;F;H 1", "collapse-recursion:F", "A;F;G;F;H", "A;F;H" },
	{ "A;F;G;F;H 1", "collapse-recursion:F", "A;F;G", "A;F;G" },
	{ "A;F;G;F;H 1", "collapse-recursion:F", "A", "A" },
	{ "A;F;F;G;F;F 1", "collapse-direct-recursion:F", "A;F;F;G;F;F", "A;F;G;F" },
	{ "A;F;G;F 1", "collapse-subtree:F", "A;F;G;F", "A;F" },
	{ "A;F 1", "collapse-subtree:F", "A", "A" },
	{ "A;x<l>;y<l>;B;x<l> 1", "collapse-resource:l", "A;x;y;B;x", "A;l;B;l" },
	{ "A{X};B{Y};C{X} 1", "focus-category:X", "A;B;C", "A;C" },
	{ "A{X};B{Y};C{X} 1|A{Z} 1", "focus-category:X", "A;B;C", "C" },
	{ "A{Other};B{Y} 1|A{Z} 1", "focus-category:Other", "A;B", "A" },
	{ "A;B;C;D 1", "merge:B|focus:A;C", "A;B;C;D", "C;D" },
	{ "A;B 1", "merge:B", "", "" },
	{ "A;f(a.c) 1|B;f(b.c) 1", "merge:f (b.c)", "A;f", "A;f" },
};

Test(calltree, a_path_follows_its_node)
{
	for (size_t i = 0; i < sizeof(updates) / sizeof(*updates); i++) {
		OWNS(history) struct history *h = tree_history(updates[i].samples);
		const struct tree_functions *fs = history_functions(h);
		OWNS(tree_path) struct tree_path path = path_of(fs, updates[i].path);
		struct buffer why OWNS(buffer) = { 0 };

		for (const char *at = updates[i].transforms; *at; at += *at == '|') {
			OWNS(transform) struct transform t = { 0 };
			size_t len = strcspn(at, "|");

			cr_assert(transform_parse(at, len, &t, &why) == 0);
			cr_assert(tree_path_update(&path, &t, history_stacks(h)) == 0);
			cr_assert(history_push(h, &t, TRANSFORM_MUST_MATCH, &why) == 0, "%s",
				  why.data);
			at += len;
		}
		expect_path(&path, fs, updates[i].after, updates[i].transforms);
	}
}

Test(calltree, what_no_sample_has_changes_no_path)
{
	OWNS(history) struct history *h = tree_history("A;B 1");
	OWNS(tree_path) struct tree_path path = path_of(history_functions(h), "A;B");
	static const char *const texts[] = {
		"merge:X", "merge-node:A;X",	  "drop:X",
		"hide:X",  "collapse-resource:X", "collapse-recursion:X"
	};
	struct buffer why OWNS(buffer) = { 0 };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		OWNS(transform) struct transform t = { 0 };

		cr_assert(transform_parse(texts[i], strlen(texts[i]), &t, &why) == 0);
		cr_assert(tree_path_update(&path, &t, history_stacks(h)) == 0);
		expect_path(&path, history_functions(h), "A;B", texts[i]);
	}
}

Test(calltree, a_path_among_some_functions)
{
	static const struct {
		const char *samples, *path;
		enum tree_implementation impl;
		const char *narrow, *wide; /* wide: from narrow; NULL: there is none */
	} rows[] = {
		{ "n;a[p];m;b[p];o 1", "n;a;m;b", TREE_PYTHON, "a;b", "n;a;m;b" },
		{ "a[p];b[p] 1|n;a[p];m;b[p] 1", "n;a;m;b", TREE_PYTHON, "a;b", "a;b" },
		{ "n;a[p];k[k] 1", "n;a;k", TREE_NATIVE, "n;k", "n;a;k" },
		{ "n;a[p];k[k] 1", "n;a;k", TREE_KERNEL, "k", "n;a;k" },
		{ "n;m 1", "n;m", TREE_COMBINED, "n;m", "n;m" },
		{ "n;m 1", "n;m", TREE_PYTHON, "", "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		OWNS(history) struct history *h = tree_history(rows[i].samples);
		const struct tree_functions *fs = history_functions(h);
		OWNS(tree_path) struct tree_path path = path_of(fs, rows[i].path);

		tree_path_narrow(&path, fs, rows[i].impl);
		expect_path(&path, fs, rows[i].narrow, rows[i].samples);
		cr_expect(tree_path_widen(&path, history_stacks(h), rows[i].impl) == 0);
		expect_path(&path, fs, rows[i].wide, rows[i].samples);
	}
}

Test(calltree, a_path_that_no_stack_has_is_not_widened)
{
	OWNS(history) struct history *h = tree_history("a[p];b[p] 1");
	OWNS(tree_path) struct tree_path path = path_of(history_functions(h), "b;a");

	cr_expect(tree_path_widen(&path, history_stacks(h), TREE_PYTHON) == -ENOENT);
	expect_path(&path, history_functions(h), "b;a", "unchanged");
}
