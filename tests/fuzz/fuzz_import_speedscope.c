/* SPDX-License-Identifier: Apache-2.0 */
#include "import/speedscope.h"
#include "imported.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	fuzz_import(import_speedscope, data, len);
	return 0;
}
