/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/transform_text.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static const struct {
	const char *text;
	enum transform_type type;
	enum tree_implementation impl;
	const char *names[4];
	const char *back; /* if not as it was */
} texts[] = {
	{ "merge:B", TRANSFORM_MERGE, TREE_COMBINED, { "B" }, NULL },
	{ "merge@combined:B", TRANSFORM_MERGE, TREE_COMBINED, { "B" }, "merge:B" },
	{ "merge:a;b", TRANSFORM_MERGE, TREE_COMBINED, { "a;b" }, NULL },
	{ "merge:a\\b", TRANSFORM_MERGE, TREE_COMBINED, { "a\\b" }, NULL },
	{ "merge:std::f(a@b)", TRANSFORM_MERGE, TREE_COMBINED, { "std::f(a@b)" }, NULL },
	{ "drop:x", TRANSFORM_DROP, TREE_COMBINED, { "x" }, NULL },
	{ "merge-node:A;B", TRANSFORM_MERGE_NODE, TREE_COMBINED, { "A", "B" }, NULL },
	{ "merge-subtree:A", TRANSFORM_MERGE_SUBTREE, TREE_COMBINED, { "A" }, NULL },
	{ "hide@kernel:A", TRANSFORM_HIDE, TREE_KERNEL, { "A" }, NULL },
	{ "focus@python:A;B;C", TRANSFORM_FOCUS, TREE_PYTHON, { "A", "B", "C" }, NULL },
	{ "focus-inverted@native:A", TRANSFORM_FOCUS_INVERTED, TREE_NATIVE, { "A" }, NULL },
	{ "filter-prefix:a\\;b;c\\\\d",
	  TRANSFORM_FILTER_PREFIX,
	  TREE_COMBINED,
	  { "a;b", "c\\d" },
	  NULL },
	{ "filter-suffix:A;", TRANSFORM_FILTER_SUFFIX, TREE_COMBINED, { "A", "" }, NULL },
	{ "hide:\\\\;", TRANSFORM_HIDE, TREE_COMBINED, { "\\", "" }, NULL },
	{ "focus-function:F", TRANSFORM_FOCUS_FUNCTION, TREE_COMBINED, { "F" }, NULL },
	{ "focus-self@python:F", TRANSFORM_FOCUS_SELF, TREE_PYTHON, { "F" }, NULL },
	{ "collapse-recursion:F", TRANSFORM_COLLAPSE_RECURSION, TREE_COMBINED, { "F" }, NULL },
	{ "collapse-direct-recursion@native:F",
	  TRANSFORM_COLLAPSE_DIRECT_RECURSION,
	  TREE_NATIVE,
	  { "F" },
	  NULL },
	{ "collapse-subtree:F", TRANSFORM_COLLAPSE_SUBTREE, TREE_COMBINED, { "F" }, NULL },
	{ "filter-include:F", TRANSFORM_FILTER_INCLUDE, TREE_COMBINED, { "F" }, NULL },
	{ "focus-category:GC / CC", TRANSFORM_FOCUS_CATEGORY, TREE_COMBINED, { "GC / CC" }, NULL },
	{ "collapse-resource@native:/lib/a;b",
	  TRANSFORM_COLLAPSE_RESOURCE,
	  TREE_NATIVE,
	  { "/lib/a;b" },
	  NULL },
};

Test(calltree, transforms_are_read_and_written_back)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		OWNS(transform) struct transform t = { 0 };
		struct buffer text OWNS(buffer) = { 0 };
		struct buffer why OWNS(buffer) = { 0 };
		uint32_t count = 0;

		cr_assert(transform_parse(texts[i].text, strlen(texts[i].text), &t, &why) == 0,
			  "%s", why.data);
		cr_expect(t.type == texts[i].type && t.impl == texts[i].impl, "%s", texts[i].text);
		for (; count < 4 && texts[i].names[count]; count++)
			cr_expect(count < t.count &&
					  !strcmp(t.names[count].text, texts[i].names[count]),
				  "%s: name %u", texts[i].text, count);
		cr_expect(count == t.count, "%s: %u names", texts[i].text, t.count);
		cr_assert(transform_print(&t, &text) == 0);
		cr_expect(!strcmp(text.data, texts[i].back ? texts[i].back : texts[i].text),
			  "%s: %s", texts[i].text, text.data);
	}
}

Test(calltree, what_is_not_a_transform_is_named)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "", "TYPE[@IMPL]:ARG expected, not \"\"" },
		{ "merge", "TYPE[@IMPL]:ARG expected, not \"merge\"" },
		{ ":B", "no transform is called \"\"" },
		{ "Merge:B", "no transform is called \"Merge\"" },
		{ "merge-nod:B", "no transform is called \"merge-nod\"" },
		{ "x\x1b\xff:B", "no transform is called \"x\\x1b\xef\xbf\xbd\"" },
		{ "merge@:B", "merge: no implementation is called \"\"" },
		{ "hide@js:B", "hide: no implementation is called \"js\"" },
		{ "hide@python@native:B", "hide: no implementation is called \"python@native\"" },
		{ "merge:", "merge: nothing behind the colon" },
		{ "hide@python:", "hide: nothing behind the colon" },
		{ "hide:a;b\\n;c", "hide: a \\ stands before ; and \\ only, not in \"b\\n\"" },
		{ "hide:a\\", "hide: a \\ stands before ; and \\ only, not in \"a\\\"" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		OWNS(transform) struct transform t = { 0 };
		struct buffer why OWNS(buffer) = { 0 };

		cr_expect(transform_parse(rows[i].text, strlen(rows[i].text), &t, &why) == -EINVAL,
			  "%s", rows[i].text);
		cr_expect(why.data && !strcmp(why.data, rows[i].why), "%s\nin place of\n%s",
			  why.data, rows[i].why);
		cr_expect(!t.count, "%s", rows[i].text);
	}
}

Test(calltree, several_names_have_no_text)
{
	OWNS(transform) struct transform t = { .type = TRANSFORM_FILTER_INCLUDE };
	struct buffer text OWNS(buffer) = { 0 };

	cr_assert(transform_add_name(&t, "a", 1) == 0 && transform_add_name(&t, "b", 1) == 0);
	cr_expect(transform_print(&t, &text) == -EINVAL);
}
