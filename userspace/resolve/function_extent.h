/* SPDX-License-Identifier: Apache-2.0 */
/* function_extent - where the function begins and ends that a process has at an address. */
#ifndef SPPROF_FUNCTION_EXTENT_H
#define SPPROF_FUNCTION_EXTENT_H

#include "resolve/target_memory.h"

#include <stdint.h>

struct function_extent {
	uint64_t start, bytes;
};

/*
 * Of the file whose first byte is at @base, by its index for unwinding. 0 and *@out; -ENOENT: it
 * has no such index, or no function is there; what else the reader says. Any content is legal.
 */
int function_extent_find(const struct target_reader *memory, uint64_t base, uint64_t address,
			 struct function_extent *out);

#endif
