/* SPDX-License-Identifier: Apache-2.0 */
/* stack_path - the frames of one stack in a row; the memory is kept for the next one. */
#ifndef SPPROF_STACK_PATH_H
#define SPPROF_STACK_PATH_H

#include "profile/profile.h"

struct stack_path {
	profile_id *frames; /* leaf first */
	size_t count, room;
};

/* Zeroed memory is an empty path. */
void stack_path_fini(struct stack_path *path);

/* Frames of @stack, which may be PROFILE_NONE. 0 or -ENOMEM. */
int stack_path_set(struct stack_path *path, const struct profile *p, profile_id stack);

static inline void stack_path_cleanup(struct stack_path *path)
{
	stack_path_fini(path);
}

#endif
