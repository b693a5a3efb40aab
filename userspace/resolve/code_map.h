/* SPDX-License-Identifier: Apache-2.0 */
/* code_map - which part of which file a process runs where. */
#ifndef SPPROF_CODE_MAP_H
#define SPPROF_CODE_MAP_H

#include "base/procfs.h"

#include <stddef.h>
#include <stdint.h>

#define CODE_MAP_MOST 8192 /* mappings; others are not there */

struct code_mapping {
	struct proc_mapping at; /* its path is here; executable, and of a file */
	uint64_t base;		/* where the file's first byte is mapped, or what of it is lowest */
};

struct code_map {
	struct code_mapping *rows; /* in order of their addresses */
	size_t count, room;
	struct proc_mapping low; /* while it is read: the last one that may be a file's base */
};

/* Those of @pid. 0; -ESRCH, -EPERM, -ENOMEM. */
int code_map_read(pid_t pid, struct code_map *out);

/* For proc_each_mapping(): takes in what is code of a file. @map: zeroed memory at first. */
int code_map_take(const struct proc_mapping *m, void *map);

void code_map_fini(struct code_map *m);
static inline void code_map_cleanup(struct code_map *m)
{
	code_map_fini(m);
}

/* The one that @address is in, or NULL. */
const struct code_mapping *code_map_find(const struct code_map *m, uint64_t address);

/* Whether both are parts of the same file. */
bool code_mapping_is_same_file(const struct code_mapping *a, const struct code_mapping *b);

#endif
