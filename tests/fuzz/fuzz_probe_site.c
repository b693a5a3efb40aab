/* SPDX-License-Identifier: Apache-2.0 */
#include "native/probe_site.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct probe_site site;

	for (unsigned int arguments = 0; arguments < 4; arguments++)
		if (!probe_site_find(data, len, 0x401000, arguments, &site) && site.offset >= len)
			__builtin_trap();
	return 0;
}
