/* SPDX-License-Identifier: Apache-2.0 */
#include "import/perf_script.h"
#include "imported.h"

static int read_script(const void *bytes, size_t len, struct profile *out, struct buffer *why)
{
	const struct import_request request = { .is_first_event = len & 1 };
	const struct import_file file = { bytes, len, &request };
	OWNS(import_facts) struct import_facts facts = { 0 };

	return import_perf_script(&file, out, &facts, why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	fuzz_import(read_script, data, len);
	return 0;
}
