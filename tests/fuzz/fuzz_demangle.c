/* SPDX-License-Identifier: Apache-2.0 */
/* A symbol's name may be anything, and must come out soon and not without bounds. */
#include "native/demangle.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#define PRINTED_MOST 16384

static void expect_bounded(const char *name)
{
	OWNS(buffer) struct buffer out = { 0 };
	size_t len = strlen(name);

	if (demangle_add(name, &out))
		abort();
	if (out.len > (len > PRINTED_MOST ? len : PRINTED_MOST) || (len && !out.len))
		abort();
}

/* As it is, and as a name of C++ and of Rust. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	OWNS_MEM char *name = calloc(1, len + 3);

	if (!name)
		abort();
	memcpy(name + 2, data, len);
	expect_bounded(name + 2);
	memcpy(name, "_Z", 2);
	expect_bounded(name);
	memcpy(name, "_R", 2);
	expect_bounded(name);
	return 0;
}
