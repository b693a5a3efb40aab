/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_subject - the process whose heap is asked for, as the sampler knows it: a copy, for other
 * threads.
 */
#ifndef SPPROF_HEAP_SUBJECT_H
#define SPPROF_HEAP_SUBJECT_H

#include "resolve/interpreter.h"

#include <jansson.h>
#include <stdbool.h>

struct call;
struct heap_seen;
struct sampler;

struct heap_subject {
	pid_t pid;
	uid_t uid;
	uint32_t epoch;	      /* of its image */
	uint64_t start_ticks; /* with the pid, what names a process */
	char name[48];	      /* valid UTF-8 */
	struct interpreter interpreter;
	int image; /* of base/proc_image.h: open unless it was never found */

	/* What the probes on its allocator saw; see daemon/heap_sessions.h. */
	struct heap_seen *seen; /* NULL: it has no session */
	json_t *session;	/* NULL: not looked up */
};

void heap_subject_fini(struct heap_subject *s);
/* Gives back what the probes of a session saw; the rest stays. */
void heap_subject_forget_session(struct heap_subject *s);

/*
 * Fills *@out with process c->pid, if the caller of @c may see it and its Python runs; else the
 * error of @c is set. In the sampler's thread.
 */
void heap_subject_find(struct heap_subject *out, struct call *c, struct sampler *s);

/* Whether they are one process that runs one program. */
bool heap_subject_is_same(const struct heap_subject *a, const struct heap_subject *b);

#endif
