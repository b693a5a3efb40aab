/* SPDX-License-Identifier: Apache-2.0 */
/* simple_name - a function's name as people say it. */
#ifndef SPPROF_CALLTREE_SIMPLE_NAME_H
#define SPPROF_CALLTREE_SIMPLE_NAME_H

#include "base/buffer.h"

#include <stdbool.h>

#include <stdbool.h>

/*
 * Appends @name without parameter list, template arguments, return type and qualifiers:
 * "std::vector<int> f<int>(char (*)(int)) const" is "f". What belongs to the name stays:
 * "operator()", "operator<", "(anonymous namespace)::f", "<T as Trait>::f", "f.<locals>.g",
 * "<listcomp>", "f::{lambda(int)#1}", "main.(*T).m", "f[abi:cxx11]", "f.isra.0" and
 * "f [clone .isra.0]". CPython's perf maps write "py::NAME:FILE": that is "NAME". A name that
 * it makes nothing of is appended as it is. Any bytes will do.
 */
void simple_name_add(const char *name, size_t len, struct buffer *out);

/*
 * Whether @target is all of the simple name @simple, or its last components, which begin
 * after a `.` or `::` that is outside of brackets. So "f" does not match "f.isra.0".
 */
bool simple_name_matches(const char *simple, size_t len, const char *target, size_t target_len);

#endif
