/* SPDX-License-Identifier: Apache-2.0 */
#include "import/perf_report.h"
#include "imported.h"

static int read_report(const void *bytes, size_t len, struct profile *out, struct buffer *why)
{
	const struct import_request request = { .order = len % 3 };
	const struct import_file file = { bytes, len, &request };
	OWNS(import_facts) struct import_facts facts = { 0 };

	return import_perf_report(&file, out, &facts, why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	fuzz_import(read_report, data, len);
	return 0;
}
