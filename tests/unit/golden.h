/* SPDX-License-Identifier: Apache-2.0 */
/* Compares bytes with a file of tests/golden/; SPPROF_GOLDEN=write rewrites the file instead. */
#ifndef GOLDEN_H
#define GOLDEN_H

#include <stddef.h>

/* @path is below tests/golden/. Fails the Criterion test and says where they differ. */
void expect_golden(const char *path, const char *data, size_t len);

#endif
