/* SPDX-License-Identifier: Apache-2.0 */
/* heap_look - one scan of one heap, for whoever wants a census of it. In the worker's thread. */
#ifndef SPPROF_HEAP_LOOK_H
#define SPPROF_HEAP_LOOK_H

#include "daemon/heap_subject.h"
#include "resolve/heap_scan.h"

/*
 * Finds the allocator of @s and scans it: 0, *@allocator and *@out, which is empty before. Errors
 * are those of allocator_find() and heap_scan(), -EAGAIN for a Python that is still starting. What
 * was read is of @s only if proc_image_lives() after it.
 */
int heap_look(const struct heap_subject *s, const atomic_bool *is_cancelled,
	      struct allocator *allocator, struct heap_census *out, const char **why);

#endif
