/* SPDX-License-Identifier: Apache-2.0 */
/* A transform that is read is one that can be written, and then reads the same. */
#include "calltree/transform_text.h"

#include <stdlib.h>
#include <string.h>

static void print(const struct transform *t, struct buffer *out)
{
	if (transform_print(t, out))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct transform t OWNS(transform) = { 0 };
	struct transform again OWNS(transform) = { 0 };
	struct buffer why OWNS(buffer) = { 0 };
	struct buffer text OWNS(buffer) = { 0 };
	struct buffer text_again OWNS(buffer) = { 0 };

	if (transform_parse((const char *)data, len, &t, &why)) {
		if (!why.len)
			abort();
		return 0;
	}
	print(&t, &text);
	if (transform_parse(text.data, text.len, &again, &why))
		abort();
	print(&again, &text_again);
	if (text.len != text_again.len || memcmp(text.data, text_again.data, text.len))
		abort();
	return 0;
}
