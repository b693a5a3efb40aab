/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_builder - a profile's stacks, frame by frame from the root. What a stack shares
 * with the one before it costs no search: files hold alike stacks next to each other.
 */
#ifndef SPPROF_IMPORT_STACK_BUILDER_H
#define SPPROF_IMPORT_STACK_BUILDER_H

#include "import/reason.h"
#include "profile/profile.h"

struct stack_builder {
	struct profile *profile;
	struct stack_step {
		profile_id frame, stack;
	} * steps;	    /* of the stack before this one, root first */
	size_t known;	    /* of these, how many are valid */
	size_t depth, room; /* of the stack at hand */
};

static inline void stack_builder_cleanup(struct stack_builder *b)
{
	free(b->steps);
}

static inline void stack_builder_start(struct stack_builder *b)
{
	b->depth = 0;
}

/* The first @count frames are those of the stack before. At most as many as are known. */
static inline void stack_builder_keep(struct stack_builder *b, size_t count)
{
	b->depth = count;
}

/* The stack is whole: of what the one before it had, no more is known than this. */
static inline void stack_builder_forget(struct stack_builder *b)
{
	b->known = b->depth;
}

/* Adds @frame below the last: 0, -ENOMEM or -E2BIG. */
int stack_builder_push(struct stack_builder *b, profile_id frame);

/* The stack of all frames so far; PROFILE_NONE if there is none. */
static inline profile_id stack_builder_stack(const struct stack_builder *b)
{
	return b->depth ? b->steps[b->depth - 1].stack : PROFILE_NONE;
}

#endif
