/* SPDX-License-Identifier: Apache-2.0 */
/* exports - the functions that a file mapped in a process offers, as its dynamic linker finds them. */
#ifndef SPPROF_EXPORTS_H
#define SPPROF_EXPORTS_H

#include "resolve/target_memory.h"

#include <stdint.h>

/* The tables of one file. */
struct exports {
	const struct target_reader *memory;
	uint64_t bias; /* what the file's virtual addresses are moved by */
	uint64_t hash, symbols, strings;
	uint64_t linker; /* of the program: where the dynamic linker has its list of files, or 0 */
};

/*
 * Opens those of the file whose first byte is at @base. 0; -ENOENT: it has none, or they are
 * hashed in the manner of before 2006; -EBADMSG; what else the reader says. Any content is legal.
 */
int exports_open(const struct target_reader *memory, uint64_t base, struct exports *out);

/* The address of the function called @name and its size. 0, -ENOENT or what the reader says. */
int exports_find(const struct exports *x, const char *name, uint64_t *address, uint64_t *bytes);

#endif
