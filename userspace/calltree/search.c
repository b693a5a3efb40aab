/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/search.h"

#include <errno.h>
#include <string.h>

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static bool starts(const char *at, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (lower(at[i]) != lower(text[i]))
			return false;
	return true;
}

/* Any locale must find the same, so strcasestr() is not for this. */
static bool holds(const struct strings *texts, uint32_t id, const char *text)
{
	size_t len = strings_len(texts, id), wanted = strlen(text);

	for (size_t at = 0; wanted <= len && at <= len - wanted; at++)
		if (starts(strings_text(texts, id) + at, text, wanted))
			return true;
	return false;
}

/* Of each function. */
static bool *find_functions(const struct tree_functions *fs, const char *text)
{
	uint32_t count = tree_functions_count(fs);
	bool *found = calloc(count + 1ul, sizeof(*found));

	for (uint32_t i = 0; found && i < count; i++) {
		const struct tree_function *f = tree_function(fs, i);

		found[i] = holds(&fs->texts, f->name, text) || holds(&fs->texts, f->file, text);
	}
	return found;
}

int tree_search(const struct tree_stacks *in, const char *text, struct tree_stacks *out)
{
	OWNS_MEM bool *found = find_functions(in->functions, text);
	OWNS_MEM uint32_t *target = malloc((in->count + 1ul) * sizeof(*target));

	if (!found || !target)
		return -ENOMEM;
	for (uint32_t i = 0; i < in->count; i++) {
		uint32_t parent = in->rows[i].parent;
		bool is_found = found[in->rows[i].function] ||
				(parent != TREE_NONE && target[parent] != TREE_NONE);

		target[i] = is_found ? i : TREE_NONE;
	}
	return tree_stacks_move(in, target, out);
}
