/* SPDX-License-Identifier: Apache-2.0 */
#include "import/perf_data.h"
#include "imported.h"

static int read_data(const void *bytes, size_t len, struct profile *out, struct buffer *why)
{
	static const struct import_request nowhere = { .symfs = "/nonexistent" };
	const struct import_file file = { bytes, len, &nowhere };
	OWNS(import_facts) struct import_facts facts = { 0 };

	if (!perf_data_is_it(bytes, len))
		return buffer_add_text(why, "no perf.data"), -EBADMSG;
	return import_perf_data(&file, out, &facts, why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	fuzz_import(read_data, data, len);
	return 0;
}
