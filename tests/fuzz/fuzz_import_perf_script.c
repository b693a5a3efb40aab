/* SPDX-License-Identifier: Apache-2.0 */
#include "import/perf_script.h"
#include "imported.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	fuzz_import(import_perf_script, data, len);
	return 0;
}
