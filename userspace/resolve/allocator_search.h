/* SPDX-License-Identifier: Apache-2.0 */
/* allocator_search - allocator_find() without the process: over any memory. */
#ifndef SPPROF_ALLOCATOR_SEARCH_H
#define SPPROF_ALLOCATOR_SEARCH_H

#include "resolve/allocator.h"
#include "resolve/allocator_places.h"
#include "resolve/target_memory.h"

/* As allocator_find(). */
int allocator_search(const struct target_reader *memory, const struct allocator_places *places,
		     const struct interpreter *in, struct allocator *out, const char **why);

#endif
