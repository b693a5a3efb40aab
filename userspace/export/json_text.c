/* SPDX-License-Identifier: Apache-2.0 */
#include "export/json_text.h"

#include <stdbool.h>

static bool needs_escape(unsigned char byte)
{
	return byte < 0x20 || byte == '"' || byte == '\\';
}

void json_add_text(struct buffer *out, const char *text, size_t len)
{
	size_t done = 0;

	for (size_t i = 0; i < len; i++) {
		if (!needs_escape(text[i]))
			continue;
		buffer_add(out, text + done, i - done);
		buffer_print(out, "\\u%04x", (unsigned char)text[i]);
		done = i + 1;
	}
	buffer_add(out, text + done, len - done);
}
