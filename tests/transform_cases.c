/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transform-cases FILE... runs the cases of each file: a line for each that fails, then
 * `N passed, N failed`. Exits 0 only if none failed.
 */
#include "tests/unit/transform_case.h"

#include <stdio.h>

int main(int argc, char **argv)
{
	struct case_counts counts = { 0 };
	struct buffer report OWNS(buffer) = { 0 };

	if (argc < 2) {
		fprintf(stderr, "usage: %s FILE...\n", argv[0]);
		return 2;
	}
	for (int i = 1; i < argc; i++)
		transform_cases_run(argv[i], &counts, &report);
	printf("%s%u passed, %u failed\n", report.len ? report.data : "", counts.passed,
	       counts.failed);
	return counts.failed || buffer_error(&report) ? 1 : 0;
}
