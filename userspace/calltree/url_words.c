/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/url_words.h"

#include <errno.h>
#include <string.h>

static const struct url_word words[] = {
	{ "f", TRANSFORM_FOCUS, true },
	{ "mcn", TRANSFORM_MERGE_NODE, true },
	{ "mf", TRANSFORM_MERGE, false },
	{ "ff", TRANSFORM_FOCUS_FUNCTION, false },
	{ "ffs", TRANSFORM_FOCUS_SELF, true },
	{ "fg", TRANSFORM_FOCUS_CATEGORY, false },
	{ "df", TRANSFORM_DROP, false },
	{ "cfs", TRANSFORM_COLLAPSE_SUBTREE, false },
	{ "rec", TRANSFORM_COLLAPSE_RECURSION, false },
	{ "drec", TRANSFORM_COLLAPSE_DIRECT_RECURSION, true },
	{ "cr", TRANSFORM_COLLAPSE_RESOURCE, true },
};

const struct url_word *url_word_find(const char *key, size_t len)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i].key) == len && !memcmp(words[i].key, key, len))
			return &words[i];
	return NULL;
}

const struct url_word *url_word_of(enum transform_type type)
{
	if (type == TRANSFORM_FOCUS_INVERTED)
		type = TRANSFORM_FOCUS;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (words[i].type == type)
			return &words[i];
	return NULL;
}

const char *url_impl_name(enum tree_implementation impl)
{
	static const char *const names[] = {
		[TREE_COMBINED] = "combined",
		[TREE_PYTHON] = "js",
		[TREE_NATIVE] = "cpp",
		[TREE_KERNEL] = NULL,
	};

	return names[impl];
}

enum tree_implementation url_impl_find(const char *word, size_t len)
{
	for (int impl = TREE_PYTHON; impl <= TREE_NATIVE; impl++)
		if (strlen(url_impl_name(impl)) == len && !memcmp(url_impl_name(impl), word, len))
			return impl;
	return TREE_COMBINED;
}

/* Numbers texts by first appearance. */
struct seen {
	bool *texts;
	uint32_t *numbers;
	uint32_t count;
};

static void see(struct seen *s, uint32_t text)
{
	if (s->texts[text])
		return;
	s->texts[text] = true;
	s->numbers[s->count++] = text;
}

static int number_categories(struct url_numbering *n, const struct tree_stacks *first)
{
	uint32_t texts = first->functions->texts.rows.count;
	OWNS_MEM bool *is_seen = calloc(texts, sizeof(*is_seen));
	struct seen seen = { .texts = is_seen, .numbers = calloc(texts, sizeof(uint32_t)) };

	n->categories = seen.numbers;
	if (!seen.texts || !seen.numbers)
		return -ENOMEM;
	for (uint32_t i = 0; i < first->count; i++)
		see(&seen, first->rows[i].category);
	n->category_count = seen.count;
	return 0;
}

static int number_resources(struct url_numbering *n, const struct tree_functions *fs)
{
	OWNS_MEM bool *is_seen = calloc(fs->texts.rows.count, sizeof(*is_seen));
	struct seen seen = { .texts = is_seen,
			     .numbers = calloc(fs->texts.rows.count, sizeof(uint32_t)) };

	n->resources = seen.numbers;
	if (!seen.texts || !seen.numbers)
		return -ENOMEM;
	seen.texts[0] = true; /* no resource */
	for (uint32_t i = 0; i < fs->first_resource; i++)
		see(&seen, tree_function(fs, i)->resource);
	n->resource_count = seen.count;
	return 0;
}

int url_numbering_init(struct url_numbering *n, const struct tree_stacks *first)
{
	const struct tree_functions *fs = first->functions;
	int err = number_categories(n, first);

	if (!err)
		err = number_resources(n, fs);
	if (err)
		return err;
	n->namesakes = calloc(fs->texts.rows.count, sizeof(*n->namesakes));
	if (!n->namesakes)
		return -ENOMEM;
	for (uint32_t i = 0; i < fs->first_resource; i++)
		n->namesakes[tree_function(fs, i)->name]++;
	return 0;
}

void url_numbering_cleanup(struct url_numbering *n)
{
	free(n->categories);
	free(n->resources);
	free(n->namesakes);
}
