/* SPDX-License-Identifier: Apache-2.0 */
/* From the text of an option of `tree` to its value. */
#include "cli/options_parts.h"

#include "cli/values.h"

#include <string.h>

static int add_transform(struct cli_tree *t, const char *text, const char *verb,
			 struct buffer *message)
{
	if (t->transform_count == CLI_TRANSFORMS_MAX)
		return usage(message, verb, "--transform may be given %d times at most",
			     CLI_TRANSFORMS_MAX);
	t->transforms[t->transform_count++] = text;
	return 0;
}

static int set_implementation(struct cli_tree *t, const char *text, const char *verb,
			      struct buffer *message)
{
	if (!tree_implementation_find(text, strlen(text), &t->implementation))
		return 0;
	return usage(message, verb,
		     "unknown implementation \"%s\"; there are python, native, kernel, combined",
		     text);
}

static int set_by(struct cli_tree *t, const char *text, const char *verb, struct buffer *message)
{
	static const char *const names[] = {
		[TREE_BY_NONE] = "none", [TREE_BY_THREAD] = "thread", [TREE_BY_PROCESS] = "process"
	};

	for (int by = TREE_BY_NONE; by <= TREE_BY_PROCESS; by++)
		if (!strcmp(text, names[by]))
			return t->by = by, 0;
	return usage(message, verb, "cannot split by \"%s\"; there are thread, process, none",
		     text);
}

static int set_min(struct cli_tree *t, const char *text, const char *verb, struct buffer *message)
{
	if (!value_decimal(text, 0, 100, &t->min_percent))
		return 0;
	return usage(message, verb, "\"%s\" is not a share in percent (0 to 100)", text);
}

int options_set_tree(int key, const char *text, struct cli_options *o, const char *verb,
		     struct buffer *message)
{
	struct cli_tree *t = &o->tree;

	switch (key) {
	case OPT_TRANSFORM:
		return add_transform(t, text, verb, message);
	case OPT_IMPLEMENTATION:
		return set_implementation(t, text, verb, message);
	case OPT_BY:
		return set_by(t, text, verb, message);
	case OPT_MIN:
		return set_min(t, text, verb, message);
	default: /* OPT_SEARCH */
		return options_set_text(&t->search, text, "search", verb, message);
	}
}
