/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transform - one change to a call tree, by the names of functions, so that it means the
 * same in every profile. Applied left to right, they form a stack; to undo one is to apply
 * those before it (history.h).
 */
#ifndef SPPROF_CALLTREE_TRANSFORM_H
#define SPPROF_CALLTREE_TRANSFORM_H

#include "base/buffer.h"
#include "calltree/implementation.h"

enum transform_type {
	TRANSFORM_MERGE_NODE,
	TRANSFORM_MERGE_SUBTREE,
	TRANSFORM_HIDE,
	TRANSFORM_FOCUS,
	TRANSFORM_FOCUS_INVERTED, /* the path is leaf first */
	TRANSFORM_FILTER_PREFIX,
	TRANSFORM_FILTER_SUFFIX,
	TRANSFORM_MERGE,
	TRANSFORM_DROP,
	TRANSFORM_FOCUS_FUNCTION,
	TRANSFORM_FOCUS_SELF,
	TRANSFORM_COLLAPSE_RECURSION,
	TRANSFORM_COLLAPSE_DIRECT_RECURSION,
	TRANSFORM_COLLAPSE_SUBTREE,
	TRANSFORM_FILTER_INCLUDE,
	TRANSFORM_FOCUS_CATEGORY,
	TRANSFORM_COLLAPSE_RESOURCE,
	TRANSFORM_TYPES,
};

enum transform_argument {
	TRANSFORM_OF_PATH,     /* names from the root */
	TRANSFORM_OF_FUNCTION, /* one name; filter-include takes several, any of which will do */
	TRANSFORM_OF_CATEGORY,
	TRANSFORM_OF_RESOURCE,
};

struct transform_name {
	char *text; /* NUL-terminated */
	size_t len;
};

struct transform {
	enum transform_type type;
	enum tree_implementation impl; /* which frames count where "next to" matters */
	struct transform_name *names;
	uint32_t count; /* >= 1 */
};

/* What to do with a name or path that no sample has. */
enum transform_missing {
	TRANSFORM_MUST_MATCH, /* it is an error */
	TRANSFORM_MAY_MISS,   /* as if it were there and nowhere used */
};

/* The word for it, as in "merge-node"; what its argument is. */
const char *transform_type_name(enum transform_type type);
enum transform_argument transform_type_argument(enum transform_type type);

/* 0 and *@type, or -EINVAL. */
int transform_type_find(const char *name, size_t len, enum transform_type *type);

/* Adds a name, which is copied: 0 or -ENOMEM. */
int transform_add_name(struct transform *t, const char *text, size_t len);

/* 0 and *@to, or -ENOMEM. */
int transform_copy(const struct transform *from, struct transform *to);
void transform_fini(struct transform *t);

static inline void transform_cleanup(struct transform *t)
{
	transform_fini(t);
}

/*
 * What @t makes of @in. 0 and *@out; -ENOENT: no sample has a name or the path;
 * -ENOTUNIQ: several functions have a name; -ENOMEM. @why then tells it in lines of text
 * that are safe for a terminal: the first names type and name, those of -ENOTUNIQ then have
 * a candidate each.
 */
int transform_apply(const struct transform *t, const struct tree_stacks *in,
		    enum transform_missing missing, struct tree_stacks *out, struct buffer *why);

#endif
