/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/path.h"
#include "calltree/transform_ids.h"

#include <errno.h>
#include <string.h>

#define NOT_THERE UINT32_MAX

/* What the format that transforms come from calls frames of no category in particular. */
#define OTHER "Other"
#define NO_CATEGORY (TREE_NONE - 1)

static bool has_prefix(const struct tree_path *path, const struct transform_ids *ids,
		       const struct tree_functions *fs)
{
	uint32_t count = ids->transform->count;

	for (uint32_t k = 0; k < count; k++)
		if (k >= path->count || !transform_ids_fit(ids, fs, k, path->functions[k]))
			return false;
	return true;
}

/* Where @function comes first, or NOT_THERE. */
static uint32_t first_of(const struct tree_path *path, uint32_t function)
{
	for (uint32_t k = 0; k < path->count; k++)
		if (path->functions[k] == function)
			return k;
	return NOT_THERE;
}

/* @count functions from place @from go. */
static void cut(struct tree_path *path, uint32_t from, uint32_t count)
{
	memmove(path->functions + from, path->functions + from + count,
		(path->count - from - count) * sizeof(*path->functions));
	path->count -= count;
}

/* From place @first on; NOT_THERE leaves nothing. */
static void start_at(struct tree_path *path, uint32_t first)
{
	cut(path, 0, first == NOT_THERE ? path->count : first);
}

static void remove_function(struct tree_path *path, uint32_t function)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < path->count; k++)
		if (path->functions[k] != function)
			path->functions[count++] = path->functions[k];
	path->count = count;
}

static void remove_repeated(struct tree_path *path, uint32_t function)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < path->count; k++)
		if (!count || path->functions[k] != function ||
		    path->functions[count - 1] != function)
			path->functions[count++] = path->functions[k];
	path->count = count;
}

/* From the first to the last @function only the last stays. */
static void remove_between(struct tree_path *path, uint32_t function)
{
	uint32_t first = first_of(path, function), last = path->count;

	if (first == NOT_THERE)
		return;
	while (path->functions[last - 1] != function)
		last--;
	cut(path, first, last - 1 - first);
}

static void rename_to_resource(struct tree_path *path, const struct transform_ids *ids,
			       const struct tree_functions *fs)
{
	if (ids->function == TREE_NONE)
		return;
	for (uint32_t k = 0; k < path->count; k++)
		if (tree_function(fs, path->functions[k])->resource == ids->text)
			path->functions[k] = ids->function;
	remove_repeated(path, ids->function);
}

static void update_by_path(struct tree_path *path, const struct transform_ids *ids,
			   const struct tree_functions *fs)
{
	enum transform_type type = ids->transform->type;
	uint32_t count = ids->transform->count;
	bool is_below = has_prefix(path, ids, fs);

	if (type == TRANSFORM_FOCUS || type == TRANSFORM_FOCUS_INVERTED)
		start_at(path, is_below ? count - 1 : NOT_THERE);
	else if (is_below && type == TRANSFORM_MERGE_NODE)
		cut(path, count - 1, 1);
	else if (is_below && type == TRANSFORM_MERGE_SUBTREE)
		path->count = count - 1;
	else if (is_below && type == TRANSFORM_HIDE)
		path->count = 0;
}

static void update_by_function(struct tree_path *path, const struct transform_ids *ids)
{
	uint32_t first = first_of(path, ids->function);

	switch (ids->transform->type) {
	case TRANSFORM_MERGE:
		remove_function(path, ids->function);
		break;
	case TRANSFORM_DROP:
		if (first != NOT_THERE)
			path->count = 0;
		break;
	case TRANSFORM_FOCUS_FUNCTION:
		start_at(path, first);
		break;
	case TRANSFORM_FOCUS_SELF:
		start_at(path, first);
		path->count = path->count ? 1 : 0;
		break;
	case TRANSFORM_COLLAPSE_RECURSION:
		remove_between(path, ids->function);
		break;
	case TRANSFORM_COLLAPSE_DIRECT_RECURSION:
		remove_repeated(path, ids->function);
		break;
	case TRANSFORM_COLLAPSE_SUBTREE:
		if (first != NOT_THERE)
			path->count = first + 1;
		break;
	default:
		break;
	}
}

/*
 * The category of each node on the path; where its stacks disagree it is "Other". @depth is
 * for each row how much of the path its stack is, NOT_THERE off the path.
 */
static void find_categories(const struct tree_path *path, const struct tree_stacks *s,
			    uint32_t *depth, uint32_t *category)
{
	uint32_t other = tree_functions_find_text(s->functions, OTHER, strlen(OTHER));

	other = other == TREE_NONE ? NO_CATEGORY : other;
	memset(category, 0, path->count * sizeof(*category));
	for (uint32_t i = 0; i < s->count; i++) {
		const struct tree_stack *row = &s->rows[i];
		uint32_t above = row->parent == TREE_NONE ? 0 : depth[row->parent];

		depth[i] = NOT_THERE;
		if (above == NOT_THERE || above == path->count ||
		    path->functions[above] != row->function)
			continue;
		depth[i] = above + 1;
		if (!category[above])
			category[above] = row->category;
		else if (category[above] != row->category)
			category[above] = other;
	}
}

static int keep_category(struct tree_path *path, uint32_t wanted, const struct tree_stacks *s)
{
	OWNS_MEM uint32_t *depth = malloc((s->count + 1ul) * sizeof(*depth));
	OWNS_MEM uint32_t *category = malloc((path->count + 1ul) * sizeof(*category));
	uint32_t count = 0;

	if (!depth || !category)
		return -ENOMEM;
	find_categories(path, s, depth, category);
	for (uint32_t k = 0; k < path->count; k++)
		if (category[k] == wanted)
			path->functions[count++] = path->functions[k];
	path->count = count;
	return 0;
}

int tree_path_update(struct tree_path *path, const struct transform *t,
		     const struct tree_stacks *before)
{
	__attribute__((cleanup(transform_ids_cleanup))) struct transform_ids ids = { 0 };
	struct buffer why OWNS(buffer) = { 0 };
	int err = transform_ids_find(t, before, TRANSFORM_MAY_MISS, &ids, &why);

	if (err)
		return err;
	switch (transform_type_argument(t->type)) {
	case TRANSFORM_OF_PATH:
		update_by_path(path, &ids, before->functions);
		break;
	case TRANSFORM_OF_FUNCTION:
		update_by_function(path, &ids);
		break;
	case TRANSFORM_OF_RESOURCE:
		rename_to_resource(path, &ids, before->functions);
		break;
	case TRANSFORM_OF_CATEGORY:
		return keep_category(path, ids.text, before);
	}
	return 0;
}
