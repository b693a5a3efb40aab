/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes are a file; who looks into it must find its way out. */
#include "native/elf_image.h"

#include <errno.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* Of any file there are at most so many parts. */
static void expect_ends(const uint8_t *data, size_t len)
{
	struct elf_part part;
	uint32_t i = 0;

	while (elf_part(data, len, i, &part))
		if (++i > 8192)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct elf_python found;
	int err = elf_find_python(data, len, &found);

	if (err && err != -ENOENT && err != -EBADMSG)
		abort();
	if (!err && !found.runtime)
		abort();
	expect_ends(data, len);
	return 0;
}
