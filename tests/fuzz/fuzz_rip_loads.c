/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as code: no more loads than there is room for, each within 2 GiB. */
#include "native/rip_loads.h"

#include <stdlib.h>

#define AT 0x7f0000000000ull
#define ROOM 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	uint64_t loads[ROOM];
	size_t count = rip_loads(data, len, AT, loads, ROOM);

	if (count > ROOM || count > len)
		abort();
	for (size_t i = 0; i < count; i++)
		if (loads[i] - (AT - (1ull << 31)) > (1ull << 32) + len)
			abort();
	return 0;
}
