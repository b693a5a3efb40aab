/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history - stacks and the transforms that were applied to them, newest last.
 *
 * Undoing is forgetting the newest ones: what they were applied to is made again from the
 * first stacks, and is the same to the last bit.
 */
#ifndef SPPROF_CALLTREE_HISTORY_H
#define SPPROF_CALLTREE_HISTORY_H

#include "calltree/path.h"

struct history;

/* Of the samples in @p, which is not needed afterwards. NULL when out of memory. */
struct history *history_new(const struct profile *p, const struct tree_fill *how);
void history_free(struct history *h); /* NULL is fine */
DEFINE_OWNS(history);

/* Errors and @why as transform_apply() has them; nothing changes then. @t is copied. */
int history_push(struct history *h, const struct transform *t, enum transform_missing missing,
		 struct buffer *why);

/* The oldest @count transforms stay. 0 or -ENOMEM; nothing changes then. */
int history_keep(struct history *h, uint32_t count);

uint32_t history_count(const struct history *h);
const struct transform *history_transform(const struct history *h, uint32_t i);

const struct tree_functions *history_functions(const struct history *h);

/* What the transforms made of the samples, and what these were. Valid until the next change. */
const struct tree_stacks *history_stacks(const struct history *h);
const struct tree_stacks *history_first_stacks(const struct history *h);

#endif
