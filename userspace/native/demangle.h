/* SPDX-License-Identifier: Apache-2.0 */
/* demangle - the names of C++ and Rust as their programmers wrote them. */
#ifndef SPPROF_DEMANGLE_H
#define SPPROF_DEMANGLE_H

#include "base/buffer.h"

#include <stdbool.h>

/*
 * Appends @name as perf prints it: of C++ without the list of parameters, of Rust without
 * the hash; @name itself if it is of no language that we know, or one that takes too long.
 * Any content is legal input; what is added need not be UTF-8. 0 or -ENOMEM.
 */
int demangle_add(const char *name, struct buffer *out);

/* Whether it might come out as something else: false for what is C beyond doubt. */
bool demangle_would(const char *name);

#endif
