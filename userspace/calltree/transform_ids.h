/* SPDX-License-Identifier: Apache-2.0 */
/* transform_ids - the names of a transform, looked up among the functions of some stacks. */
#ifndef SPPROF_CALLTREE_TRANSFORM_IDS_H
#define SPPROF_CALLTREE_TRANSFORM_IDS_H

#include "calltree/transform.h"

/* Functions that go by one name. TREE_NONE as @name: no function does. */
struct transform_element {
	uint32_t name; /* text */
	uint32_t file; /* text; TREE_NONE: any */
};

struct transform_ids {
	const struct transform *transform;
	enum transform_missing missing;
	struct transform_element *elements; /* one a name, of a path or of functions */
	bool has_namesakes;		    /* an element fits several functions */
	uint32_t function; /* the first name's function, or what a resource becomes; or TREE_NONE */
	uint32_t text;	   /* category or resource, or TREE_NONE */
};

/*
 * Looks the names of @t up. 0 and *@out, or, if they must match, -ENOENT and -ENOTUNIQ with
 * @why as transform_apply() has it; -ENOMEM.
 */
int transform_ids_find(const struct transform *t, const struct tree_stacks *in,
		       enum transform_missing missing, struct transform_ids *out,
		       struct buffer *why);
void transform_ids_cleanup(struct transform_ids *ids);

/* Whether @function goes by the name of element @k. */
static inline bool transform_ids_fit(const struct transform_ids *ids,
				     const struct tree_functions *fs, uint32_t k, uint32_t function)
{
	const struct transform_element *e = &ids->elements[k];
	const struct tree_function *f = tree_function(fs, function);

	return f->name == e->name && (e->file == TREE_NONE || f->file == e->file);
}

/* Whether frames of @function count for the transform. */
static inline bool transform_ids_counts(const struct transform_ids *ids,
					const struct tree_functions *fs, uint32_t function)
{
	return tree_implementation_has(ids->transform->impl, tree_function(fs, function)->kind);
}

#endif
