/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/transform.h"
#include "calltree/apply.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *name;
	enum transform_argument argument;
	apply_function *apply;
} types[] = {
	[TRANSFORM_MERGE_NODE] = { "merge-node", TRANSFORM_OF_PATH, apply_merge_node },
	[TRANSFORM_MERGE_SUBTREE] = { "merge-subtree", TRANSFORM_OF_PATH, apply_merge_subtree },
	[TRANSFORM_HIDE] = { "hide", TRANSFORM_OF_PATH, apply_hide },
	[TRANSFORM_FOCUS] = { "focus", TRANSFORM_OF_PATH, apply_focus },
	[TRANSFORM_FOCUS_INVERTED] = { "focus-inverted", TRANSFORM_OF_PATH, apply_focus_inverted },
	[TRANSFORM_FILTER_PREFIX] = { "filter-prefix", TRANSFORM_OF_PATH, apply_filter_prefix },
	[TRANSFORM_FILTER_SUFFIX] = { "filter-suffix", TRANSFORM_OF_PATH, apply_filter_suffix },
	[TRANSFORM_MERGE] = { "merge", TRANSFORM_OF_FUNCTION, apply_merge },
	[TRANSFORM_DROP] = { "drop", TRANSFORM_OF_FUNCTION, apply_drop },
	[TRANSFORM_FOCUS_FUNCTION] = { "focus-function", TRANSFORM_OF_FUNCTION,
				       apply_focus_function },
	[TRANSFORM_FOCUS_SELF] = { "focus-self", TRANSFORM_OF_FUNCTION, apply_focus_self },
	[TRANSFORM_COLLAPSE_RECURSION] = { "collapse-recursion", TRANSFORM_OF_FUNCTION,
					   apply_collapse_recursion },
	[TRANSFORM_COLLAPSE_DIRECT_RECURSION] = { "collapse-direct-recursion",
						  TRANSFORM_OF_FUNCTION,
						  apply_collapse_direct_recursion },
	[TRANSFORM_COLLAPSE_SUBTREE] = { "collapse-subtree", TRANSFORM_OF_FUNCTION,
					 apply_collapse_subtree },
	[TRANSFORM_FILTER_INCLUDE] = { "filter-include", TRANSFORM_OF_FUNCTION,
				       apply_filter_include },
	[TRANSFORM_FOCUS_CATEGORY] = { "focus-category", TRANSFORM_OF_CATEGORY,
				       apply_focus_category },
	[TRANSFORM_COLLAPSE_RESOURCE] = { "collapse-resource", TRANSFORM_OF_RESOURCE,
					  apply_collapse_resource },
};
_Static_assert(sizeof(types) / sizeof(*types) == TRANSFORM_TYPES, "a row a type");

const char *transform_type_name(enum transform_type type)
{
	return types[type].name;
}

enum transform_argument transform_type_argument(enum transform_type type)
{
	return types[type].argument;
}

int transform_type_find(const char *name, size_t len, enum transform_type *type)
{
	for (int i = 0; i < TRANSFORM_TYPES; i++) {
		if (strlen(types[i].name) == len && !memcmp(types[i].name, name, len)) {
			*type = i;
			return 0;
		}
	}
	return -EINVAL;
}

int transform_add_name(struct transform *t, const char *text, size_t len)
{
	OWNS_MEM char *copy = malloc(len + 1);
	struct transform_name *grown = reallocarray(t->names, t->count + 1ul, sizeof(*grown));

	if (grown)
		t->names = grown;
	if (!grown || !copy)
		return -ENOMEM;
	memcpy(copy, text, len);
	copy[len] = '\0';
	grown[t->count++] = (struct transform_name){ .text = TAKE(copy), .len = len };
	return 0;
}

int transform_copy(const struct transform *from, struct transform *to)
{
	OWNS(transform) struct transform copy = { .type = from->type, .impl = from->impl };
	int err = 0;

	for (uint32_t i = 0; i < from->count && !err; i++)
		err = transform_add_name(&copy, from->names[i].text, from->names[i].len);
	if (err)
		return err;
	*to = copy;
	copy = (struct transform){ 0 };
	return 0;
}

void transform_fini(struct transform *t)
{
	for (uint32_t i = 0; i < t->count; i++)
		free(t->names[i].text);
	free(t->names);
	*t = (struct transform){ 0 };
}

int transform_apply(const struct transform *t, const struct tree_stacks *in,
		    enum transform_missing missing, struct tree_stacks *out, struct buffer *why)
{
	__attribute__((cleanup(transform_ids_cleanup))) struct transform_ids ids = { 0 };
	int err = transform_ids_find(t, in, missing, &ids, why);

	return err ? err : types[t->type].apply(&ids, in, out, why);
}
