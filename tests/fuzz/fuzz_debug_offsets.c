/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes at _PyRuntime: a layout that the walk can use, or a reason why there is none. */
#include "python/pylayout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void find(uint32_t version, const uint8_t *data, size_t len)
{
	struct sp_pylayout at;
	const char *why = NULL;
	char text[16];
	int err = pylayout_find(version, data, len, &at, &why);

	if (err && (!why || (err != -ENOTSUP && err != -EBADMSG)))
		abort();
	if (!err && pylayout_validate(&at))
		abort();
	if (err)
		at = (struct sp_pylayout){ .version = version, .is_free_threaded = len & 1 };
	pylayout_version_text(&at, text);
	if (!memchr(text, 0, sizeof(text)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct sp_pylayout at;
	uint32_t version = 0;

	find(0, data, len);
	memcpy(&version, data, len < sizeof(version) ? len : sizeof(version));
	find(version, data, len);
	if (len >= sizeof(at)) { /* not from us: may be anything */
		memcpy(&at, data, sizeof(at));
		(void)pylayout_validate(&at);
	}
	return 0;
}
