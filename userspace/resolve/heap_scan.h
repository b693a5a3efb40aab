/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_scan - reads the object heap of a process from outside, while it runs and without a probe,
 * and says what lives there. Takes some 0.2 to 0.7 s a GB. Its own memory is bounded by how many
 * types and how many objects outside it follows at most, not by the heap.
 */
#ifndef SPPROF_HEAP_SCAN_H
#define SPPROF_HEAP_SCAN_H

#include "resolve/allocator.h"
#include "resolve/heap_census.h"

#include <stdatomic.h>
#include <stdbool.h>

struct heap_scan_target {
	pid_t pid;
	const struct interpreter *in;
	const struct allocator *allocator;
	const atomic_bool *is_cancelled; /* asked between pieces; NULL: never */
};

/*
 * Fills *@out, which is empty before. 0; -ENOTSUP and *@why, a text that lives as long as the
 * program; -EAGAIN: it is still starting, or the allocator's books moved meanwhile and are to be
 * found again; -ECANCELED;
 * -ESRCH it is gone, -EPERM, -ENOMEM; *@out is empty then.
 */
int heap_scan(const struct heap_scan_target *target, struct heap_census *out, const char **why);

/* Whether the Python in @pid is still starting: then it may look as if it had no heap. */
bool heap_scan_is_early(pid_t pid, const struct interpreter *in);

static inline bool heap_scan_is_cancelled(const struct heap_scan_target *t)
{
	return t->is_cancelled && atomic_load(t->is_cancelled);
}

#endif
