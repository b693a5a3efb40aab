/* SPDX-License-Identifier: Apache-2.0 */
/* Any string becomes valid UTF-8 of bounded length, and stays so for a terminal. */
#include "base/utf8.h"
#include "python/pytext.h"

#include <stdlib.h>
#include <string.h>

#define HEAD 5 /* width, length */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void expect_valid(const struct buffer *b)
{
	if (buffer_error(b) || !utf8_is_valid(b->data, b->len))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct buffer text OWNS(buffer) = { 0 }, shown OWNS(buffer) = { 0 };
	struct buffer repaired OWNS(buffer) = { 0 };
	struct pytext_state state;
	uint32_t length;

	if (len < HEAD)
		return 0;
	memcpy(&length, data + 1, sizeof(length));
	(void)pytext_decode_state(length, data[0] & 8 ? 8 : 2, &state);
	buffer_add_text(&text, "");
	pytext_add(&text, data + HEAD, len - HEAD, data[0], length);
	expect_valid(&text);
	if (text.len > 4 * PYTEXT_MAX_CHARS)
		abort();
	utf8_add_visible(&shown, text.data);
	if (shown.len)
		expect_valid(&shown);
	utf8_repair(&repaired, (const char *)data, len);
	expect_valid(&repaired);
	if (utf8_is_valid((const char *)data, len) &&
	    (repaired.len != len || memcmp(repaired.data, data, len)))
		abort();
	return 0;
}
