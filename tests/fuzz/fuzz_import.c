/* SPDX-License-Identifier: Apache-2.0 */
/* Any file, of a kind that its content tells. */
#include "imported.h"

static int read_any(const void *bytes, size_t len, struct profile *out, struct buffer *why)
{
	enum import_kind kind;

	return import_profile(bytes, len, out, &kind, why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	fuzz_import(read_any, data, len);
	return 0;
}
