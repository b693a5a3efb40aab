/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_subject - the process whose heap is asked for, as the sampler knows it: a copy, for other
 * threads.
 */
#ifndef SPPROF_HEAP_SUBJECT_H
#define SPPROF_HEAP_SUBJECT_H

#include "resolve/interpreter.h"

#include <stdbool.h>

struct call;
struct sampler;

struct heap_subject {
	pid_t pid;
	uint32_t epoch;	      /* of its image */
	uint64_t start_ticks; /* with the pid, what names a process */
	char name[48];	      /* valid UTF-8 */
	struct interpreter interpreter;
	int image; /* of base/proc_image.h: open unless it was never found */
};

/*
 * Fills *@out with process c->pid, if the caller of @c may see it and its Python runs; else the
 * error of @c is set. In the sampler's thread.
 */
void heap_subject_find(struct heap_subject *out, struct call *c, struct sampler *s);

/* Whether they are one process that runs one program. */
bool heap_subject_is_same(const struct heap_subject *a, const struct heap_subject *b);

#endif
