/* SPDX-License-Identifier: Apache-2.0 */
#include "import/stack_builder.h"

#define FIRST_ROOM 128

static int grow(struct stack_builder *b)
{
	size_t room = b->room ? 2 * b->room : FIRST_ROOM;
	struct stack_step *grown = reallocarray(b->steps, room, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	b->steps = grown;
	b->room = room;
	return 0;
}

int stack_builder_push(struct stack_builder *b, profile_id frame)
{
	struct profile_stack stack = { .prefix = stack_builder_stack(b), .frame = frame };
	struct stack_step step = { .frame = frame };
	int err;

	if (b->depth < b->known && b->steps[b->depth].frame == frame) {
		b->depth++;
		return 0;
	}
	if (b->depth == b->room && grow(b))
		return -ENOMEM;
	err = profile_add_stack(b->profile, &stack, &step.stack);
	if (!err && step.stack >= IMPORT_MAX_STACKS)
		err = -E2BIG;
	if (err)
		return err;
	b->steps[b->depth++] = step;
	b->known = b->depth;
	return 0;
}
