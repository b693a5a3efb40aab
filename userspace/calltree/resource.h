/* SPDX-License-Identifier: Apache-2.0 */
/* resource - which library or package a file belongs to. */
#ifndef SPPROF_CALLTREE_RESOURCE_H
#define SPPROF_CALLTREE_RESOURCE_H

#include "profile/profile.h"

#include <stddef.h>

/*
 * The part of @file that names its resource; a slice of @file, *@len bytes. For Python the
 * top-level package: the first component behind the last site-packages/, dist-packages/ or
 * lib/pythonN.N/, without .py. Else, and for other kinds, the whole of @file.
 */
const char *resource_of(const char *file, enum profile_kind kind, size_t *len);

#endif
