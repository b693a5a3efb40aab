/* SPDX-License-Identifier: Apache-2.0 */
#include "native/probe_site.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct probe_site site;

	static const unsigned int wanted[] = { 0, PROBE_SITE_ARGUMENT(1), PROBE_SITE_STACK };

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (!probe_site_find(data, len, 0x401000, wanted[i], &site) && site.offset >= len)
			__builtin_trap();
	return 0;
}
