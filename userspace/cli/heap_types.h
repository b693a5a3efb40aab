/* SPDX-License-Identifier: Apache-2.0 */
/* heap_types - what a scan found alive in a process, by type. */
#ifndef SPPROF_CLI_HEAP_TYPES_H
#define SPPROF_CLI_HEAP_TYPES_H

#include <stdbool.h>
#include <stdint.h>

/* A type; or storage of objects, which has no module and counts blocks. */
struct heap_type {
	char *name, *module; /* valid UTF-8, never NULL */
	uint64_t objects, bytes;
	bool is_storage;
};

struct heap_types {
	char *name, *python, *tier; /* valid UTF-8; NULL: not said */
	uint64_t pid;
	uint64_t time_ns;			 /* Unix time */
	uint64_t live_bytes;			 /* 0: not said */
	uint64_t omitted_objects, omitted_bytes; /* of types that are not in @rows */
	uint64_t unused_objects, unused_bytes;	 /* on free lists */
	struct heap_type *rows;
	uint32_t count, room;
};

/* Takes the texts of @row, also where it fails. 0 or -ENOMEM. */
int heap_types_add(struct heap_types *t, const struct heap_type *row);

/* Zeroed memory is empty. */
void heap_types_fini(struct heap_types *t);

static inline void heap_types_cleanup(struct heap_types *t)
{
	heap_types_fini(t);
}

#endif
