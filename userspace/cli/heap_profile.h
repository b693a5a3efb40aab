/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_profile - a heap as a profile in bytes: a type is a function that its module calls. The
 * weights add up to what is live, the counts are objects.
 */
#ifndef SPPROF_CLI_HEAP_PROFILE_H
#define SPPROF_CLI_HEAP_PROFILE_H

#include "cli/heap_types.h"
#include "profile/profile.h"

/* Adds a process to @out, which is empty or has others' heaps. 0 or -ENOMEM. */
int heap_profile_add(struct profile *out, const struct heap_types *heap);

#endif
