/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transform_url - transforms as they stand in a URL of Firefox Profiler, for exchange.
 *
 * Items are joined by `~`, their fields by `-`; functions, categories and resources are
 * numbers that hold for one profile only. Ours are by first appearance in it; behind the
 * functions come those that stand for resources.
 */
#ifndef SPPROF_CALLTREE_TRANSFORM_URL_H
#define SPPROF_CALLTREE_TRANSFORM_URL_H

#include "calltree/transform.h"

struct transform_list {
	struct transform *transforms;
	uint32_t count;
	uint32_t skipped; /* that the other form has no word for, or that are broken */
};

/* Of the samples in @first, before any transform. 0 and *@out, or -ENOMEM. */
int transform_url_read(const char *text, size_t len, const struct tree_stacks *first,
		       struct transform_list *out);

/* Appends @list; *@skipped are not in it. 0 or -ENOMEM. */
int transform_url_write(const struct transform_list *list, const struct tree_stacks *first,
			struct buffer *out, uint32_t *skipped);

/* Adds @t, which is empty then: 0 or -ENOMEM. */
int transform_list_add(struct transform_list *list, struct transform *t);
void transform_list_fini(struct transform_list *list);

static inline void transform_list_cleanup(struct transform_list *list)
{
	transform_list_fini(list);
}

#endif
