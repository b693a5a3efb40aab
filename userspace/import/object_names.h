/* SPDX-License-Identifier: Apache-2.0 */
/* object_names - the names of symbols as they are printed, each made once. */
#ifndef SPPROF_IMPORT_OBJECT_NAMES_H
#define SPPROF_IMPORT_OBJECT_NAMES_H

#include "base/buffer.h"

#include <stdint.h>

struct object_names {
	char **names; /* by the numbers of the symbols; NULL: not made yet */
	uint32_t count;
	size_t bytes; /* that are held */
};

void object_names_fini(struct object_names *n);

/*
 * The name of symbol @number of @count, which a file calls @name: demangled, with @suffix
 * behind it, valid UTF-8. NULL when out of memory. @text is room to work in.
 */
const char *object_names_get(struct object_names *n, uint32_t number, uint32_t count,
			     const char *name, const char *suffix, struct buffer *text);

#endif
