/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes are repaired to valid UTF-8, and shown without a character that acts. */
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void expect(bool is_so)
{
	if (!is_so)
		abort();
}

/* In valid UTF-8: C0, DEL; C1 is C2 80-9F; the others are E2 80 AA-AE and E2 81 A6-A9. */
static bool acts_at(const uint8_t *at, size_t left)
{
	if (at[0] < 0x20 || at[0] == 0x7F)
		return true;
	if (left >= 2 && at[0] == 0xC2 && at[1] <= 0x9F)
		return true;
	return left >= 3 && at[0] == 0xE2 &&
	       ((at[1] == 0x80 && at[2] >= 0xAA && at[2] <= 0xAE) ||
		(at[1] == 0x81 && at[2] >= 0xA6 && at[2] <= 0xA9));
}

static void check_visible(const char *text)
{
	struct buffer shown OWNS(buffer) = { 0 };

	buffer_add_text(&shown, "");
	utf8_add_visible(&shown, text);
	expect(!buffer_error(&shown) && utf8_is_valid(shown.data, shown.len));
	for (size_t i = 0; i < shown.len; i++)
		expect(!acts_at((const uint8_t *)shown.data + i, shown.len - i));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct buffer repaired OWNS(buffer) = { 0 }, again OWNS(buffer) = { 0 };
	struct buffer raw OWNS(buffer) = { 0 };
	uint32_t code_point = 0;

	buffer_add(&raw, data, len);
	buffer_add_text(&repaired, "");
	utf8_repair(&repaired, (const char *)data, len); /* not raw: nothing lies behind */
	expect(!buffer_error(&repaired) && utf8_is_valid(repaired.data, repaired.len));
	expect(repaired.len <= 3 * len);
	if (utf8_is_valid((const char *)data, len))
		expect(repaired.len == len && !memcmp(repaired.data, data, len));
	check_visible(repaired.data);
	check_visible(raw.data); /* not what it asks for, and harmless all the same */

	memcpy(&code_point, data, len < sizeof(code_point) ? len : sizeof(code_point));
	utf8_add(&again, code_point);
	expect(utf8_is_valid(again.data, again.len) && again.len <= 4);
	return 0;
}
