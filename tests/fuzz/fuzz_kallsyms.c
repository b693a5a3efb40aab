/* SPDX-License-Identifier: Apache-2.0 */
/* Any text of symbols, and the same bytes as notes. */
#include "native/kallsyms.h"

#include <errno.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	OWNS(kallsyms) struct kallsyms *k = NULL;
	struct build_id id;
	bool is_module;
	int err = 0;

	if (kernel_build_id(data, len, &id) && (!id.len || id.len > BUILD_ID_MAX))
		abort();
	k = kallsyms_new((const char *)data, len, &err);
	if (!k != (err == -EACCES || err == -ENOENT))
		abort();
	for (uint64_t i = 0; k && i < 64; i++) {
		const char *name = kallsyms_find(k, UINT64_MAX >> i, &is_module);

		if (name && strlen(name) >= len)
			abort();
	}
	return 0;
}
