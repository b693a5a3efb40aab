/* SPDX-License-Identifier: Apache-2.0 */
/* Runs cases of the schema that tests/data/transforms.json describes in its "about". */
#ifndef TRANSFORM_CASE_H
#define TRANSFORM_CASE_H

#include "base/buffer.h"

struct case_counts {
	unsigned int passed, failed;
};

/* Adds a line to @report for each case of @path that fails; a file that has none is one, too. */
void transform_cases_run(const char *path, struct case_counts *counts, struct buffer *report);

#endif
