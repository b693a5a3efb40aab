/* SPDX-License-Identifier: Apache-2.0 */
/* heap_json - what a scan found in a process, as the control API tells it. */
#ifndef SPPROF_HEAP_JSON_H
#define SPPROF_HEAP_JSON_H

#include "base/procfs.h"
#include "resolve/allocator.h"
#include "resolve/heap_census.h"

#include <jansson.h>

struct heap_facts {
	pid_t pid;
	const char *name; /* valid UTF-8 */
	const struct sp_pylayout *layout;
	const struct allocator *allocator;
	const struct heap_census *census;
	struct proc_memory memory;
	uint64_t time_ns; /* Unix: when the scan began */
	uint64_t duration_ns;
};

/*
 * All types, all sizes; "warnings" are the texts that a reader of the figures must know. NULL
 * when out of memory.
 */
json_t *heap_json(const struct heap_facts *f);

#endif
