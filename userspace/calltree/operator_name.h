/* SPDX-License-Identifier: Apache-2.0 */
/* operator_name - C++'s names that are made of punctuation. */
#ifndef SPPROF_CALLTREE_OPERATOR_NAME_H
#define SPPROF_CALLTREE_OPERATOR_NAME_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Bytes of the operator's name that begins at @at: "operator<<", "operator()", "operator new[]";
 * of one that names a type, such as "operator bool", only "operator". 0: it is none.
 */
size_t operator_name_len(const char *name, size_t len, size_t at);

#endif
