/* SPDX-License-Identifier: Apache-2.0 */
#include "export/stack_path.h"

#include <errno.h>

#define FIRST_ROOM 128

void stack_path_fini(struct stack_path *path)
{
	free(path->frames);
	*path = (struct stack_path){ 0 };
}

static int grow(struct stack_path *path)
{
	size_t room = path->room ? 2 * path->room : FIRST_ROOM;
	profile_id *grown = reallocarray(path->frames, room, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	path->frames = grown;
	path->room = room;
	return 0;
}

int stack_path_set(struct stack_path *path, const struct profile *p, profile_id stack)
{
	uint32_t count;
	const struct profile_stack *stacks = profile_stacks(p, &count);

	path->count = 0;
	for (; stack != PROFILE_NONE; stack = stacks[stack].prefix) {
		if (path->count == path->room && grow(path))
			return -ENOMEM;
		path->frames[path->count++] = stacks[stack].frame;
	}
	return 0;
}
