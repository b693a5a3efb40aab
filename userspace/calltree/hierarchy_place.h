/* SPDX-License-Identifier: Apache-2.0 */
/* hierarchy_place - where in the tree lies what a relation weighs more than its chains show. */
#ifndef SPPROF_CALLTREE_HIERARCHY_PLACE_H
#define SPPROF_CALLTREE_HIERARCHY_PLACE_H

#include "calltree/hierarchy_parts.h"

/*
 * Adds @gains, one for each row of the pairs, to paths: below the caller's heaviest ones, as
 * long as nothing becomes heavier than what is above it and no entry is on a path twice. What
 * does not fit stays in @gains. 0 or -ENOMEM.
 */
int hierarchy_place(struct hierarchy_parts *parts, int64_t *gains);

#endif
