/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_stacks_profile - what sampled allocations say of a heap, as a profile in bytes: of the
 * trace tier what lives, by who allocated it; of the growth tier what grew, by who made it grow.
 */
#ifndef SPPROF_CLI_HEAP_STACKS_PROFILE_H
#define SPPROF_CLI_HEAP_STACKS_PROFILE_H

#include "base/buffer.h"
#include "profile/profile.h"

#include <jansson.h>
#include <stdbool.h>

/* Whether @heap, of /v1/heap, has stacks at all: somebody looks, or has looked, who allocates. */
bool heap_stacks_profile_fits(const json_t *heap);

/* The type of pprof's that its weights have: "inuse_space" or "growth_space". */
const char *heap_stacks_profile_type(const json_t *heap);

/*
 * Adds a process that fits to @out, which is empty or has others' heaps of the same type. The
 * weights add up to the sum of its estimates, rounded, and the counts to that of its objects;
 * what shrank is left out. 0 or -ENOMEM; or -EBADMSG, with what is wrong in @why.
 */
int heap_stacks_profile_add(struct profile *out, const json_t *heap, struct buffer *why);

#endif
