/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/heap_look.h"

#include <errno.h>

#define TRIES 3 /* books move when they double, so rarely twice during a scan */

int heap_look(const struct heap_subject *s, const atomic_bool *is_cancelled,
	      struct allocator *allocator, struct heap_census *out, const char **why)
{
	const struct heap_scan_target target = { .pid = s->pid,
						 .in = &s->interpreter,
						 .allocator = allocator,
						 .is_cancelled = is_cancelled };
	int err = -EAGAIN;

	for (int i = 0; i < TRIES && err == -EAGAIN; i++) {
		if (heap_scan_is_cancelled(&target))
			return -ECANCELED;
		err = allocator_find(s->pid, &s->interpreter, allocator, why);
		if (!err)
			err = heap_scan(&target, out, why);
	}
	if (err == -ENOTSUP && heap_scan_is_early(s->pid, &s->interpreter))
		err = -EAGAIN;
	return err;
}
