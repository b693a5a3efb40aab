/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_model - the one heap profiler of the daemon, for as long as sessions or pages have need of
 * it: its tables forget nothing, so it goes with the last of them.
 */
#ifndef SPPROF_DAEMON_HEAP_MODEL_H
#define SPPROF_DAEMON_HEAP_MODEL_H

#include "base/cleanup.h"
#include "heap/heap_profiler.h"
#include "spprof_event.h"

#define HEAP_DOMAINS (SP_DOMAIN_LIBC + 1)

struct heap_model;

/* One reference. NULL when out of memory. */
struct heap_model *heap_model_new(void);
/* Any thread. */
struct heap_model *heap_model_ref(struct heap_model *m);
void heap_model_unref(struct heap_model *m); /* NULL is fine */

/* ACTIVE; as long as a reference is held. */
struct heap_profiler *heap_model_profiler(const struct heap_model *m);

/*
 * What session @n is to the profiler: a process for each domain. @cycle counts the sessions that
 * had the number, so that who still reads one of before meets nothing of the next.
 */
struct heap_ids {
	uint16_t of[HEAP_DOMAINS];
};
struct heap_ids heap_ids_of(uint32_t n, uint32_t cycle);
uint32_t heap_ids_session(uint16_t process); /* the session's number */

#endif
