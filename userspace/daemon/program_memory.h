/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program_memory - programs that were looked at often and never were a Python. A build
 * execs thousands of them: they are not worth a look each time. One thread.
 */
#ifndef SPPROF_PROGRAM_MEMORY_H
#define SPPROF_PROGRAM_MEMORY_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A program's file, as it was when it was asked for; all 0: not known. */
struct program_id {
	uint64_t device, inode, changed_ns;
};

/* What @pid runs. All 0 if that cannot be told. */
struct program_id program_id_of(pid_t pid);

struct program_memory;
struct program_memory *program_memory_new(void);
void program_memory_free(struct program_memory *m); /* NULL is fine */
DEFINE_OWNS(program_memory);

/* A process of it was looked at. */
void program_memory_learn(struct program_memory *m, const struct program_id *id, bool is_python);

/* Whether it was looked at often, and never was a Python. */
bool program_memory_is_dull(const struct program_memory *m, const struct program_id *id);

#endif
