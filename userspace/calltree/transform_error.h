/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transform_error - what to say of a transform that cannot be applied: its type, the name
 * that failed, and what was perhaps meant.
 *
 * All append to @why and return the error: -ENOENT, of an ambiguous name -ENOTUNIQ.
 */
#ifndef SPPROF_CALLTREE_TRANSFORM_ERROR_H
#define SPPROF_CALLTREE_TRANSFORM_ERROR_H

#include "calltree/transform_ids.h"

/* No sample has function @k. @functions says of each whether it is in use. */
int transform_error_name(const struct transform *t, uint32_t k, const struct tree_functions *fs,
			 const bool *functions, struct buffer *why);

/* Samples fit the path up to element @k; then came only those in @functions. */
int transform_error_path(const struct transform *t, uint32_t k, const struct tree_functions *fs,
			 const bool *functions, struct buffer *why);

/* Several of @functions go by the name of element @k. */
int transform_error_ambiguous(const struct transform_ids *ids, uint32_t k,
			      const struct tree_functions *fs, const bool *functions,
			      struct buffer *why);

int transform_error_category(const struct transform *t, const struct tree_stacks *in,
			     struct buffer *why);
int transform_error_resource(const struct transform *t, const struct tree_functions *fs,
			     const bool *functions, struct buffer *why);

#endif
