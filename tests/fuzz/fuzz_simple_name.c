/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes have a simple name, which is no longer than they are and matches itself. */
#include "calltree/simple_name.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void expect(bool is_so)
{
	if (!is_so)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const char before[] = "before ";
	struct buffer out OWNS(buffer) = { 0 };
	const char *name = (const char *)data, *simple;
	size_t simple_len;

	buffer_add_text(&out, before);
	simple_name_add(name, len, &out);
	expect(!buffer_error(&out) && !memcmp(out.data, before, strlen(before)));
	simple = out.data + strlen(before);
	simple_len = out.len - strlen(before);
	expect(simple_len <= len && !simple_len == !len && !simple[simple_len]);
	expect(simple_name_matches(simple, simple_len, simple, simple_len) == (len > 0));
	for (size_t i = 1; i < simple_len && i < 64; i++)
		if (simple_name_matches(simple, simple_len, simple + i, simple_len - i))
			expect(simple[i - 1] == '.' || simple[i - 1] == ':');
	return 0;
}
