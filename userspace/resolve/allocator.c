/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/allocator.h"

#include "base/cleanup.h"
#include "resolve/allocator_search.h"

#include <errno.h>

int allocator_find(pid_t pid, const struct interpreter *in, struct allocator *out, const char **why)
{
	OWNS(allocator_places) struct allocator_places places = { .runtime = in->runtime };
	struct target_reader memory = target_reader_of(&pid);
	int err = proc_each_mapping(pid, allocator_places_take, &places);

	if (err)
		return err == -EACCES ? -EPERM : err;
	if (!places.has_runtime)
		return -ESRCH; /* it ended, or became another program */
	return allocator_search(&memory, &places, in, out, why);
}
