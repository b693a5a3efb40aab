/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes are a table: a line or none for each unit it covers, and nothing beyond. */
#include "python/linetable.h"

#include <errno.h>
#include <stdlib.h>

#define MOST_LOOKUPS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	int64_t units = linetable_units(data, len);

	if (units < 0 && units != -EBADMSG)
		abort();
	for (uint32_t i = 0; i < MOST_LOOKUPS; i++) {
		int line = linetable_lookup(data, len, 1, i);

		if (line < 0 && line != -EBADMSG)
			abort();
		if (units >= 0 && i >= units && line != -EBADMSG)
			abort();
	}
	return 0;
}
