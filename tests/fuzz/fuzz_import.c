/* SPDX-License-Identifier: Apache-2.0 */
/* Any file, of a kind that its content tells. */
#include "imported.h"

static int read_any(const void *bytes, size_t len, struct profile *out, struct buffer *why)
{
	OWNS(import_facts) struct import_facts facts = { 0 };

	return import_profile(bytes, len, NULL, out, &facts, why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	fuzz_import(read_any, data, len);
	return 0;
}
