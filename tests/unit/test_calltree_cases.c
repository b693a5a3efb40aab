/* SPDX-License-Identifier: Apache-2.0 */
#include "transform_case.h"

#include <criterion/criterion.h>

Test(calltree, cases_of_the_transforms)
{
	struct buffer report OWNS(buffer) = { 0 };
	struct case_counts counts = { 0 };

	transform_cases_run(SPPROF_SOURCE_DIR "/tests/data/transforms.json", &counts, &report);
	cr_expect(counts.passed == 36 && !counts.failed, "%u passed, %u failed\n%s", counts.passed,
		  counts.failed, report.data);
}
