/* SPDX-License-Identifier: Apache-2.0 */
#include "python/pytext.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdbool.h>

#define ELLIPSIS 0x2026

static bool is_width(uint8_t width)
{
	return width == 1 || width == 2 || width == 4;
}

/* Of the state word from @kind on: kind 3 bits, compact 1, ascii 1. */
int pytext_decode_state(uint32_t state, unsigned int kind, struct pytext_state *out)
{
	struct pytext_state found = {
		.width = state >> kind & 7,
		.is_compact = state >> (kind + 3) & 1,
		.is_ascii = state >> (kind + 4) & 1,
	};

	if (!is_width(found.width) || (found.is_ascii && found.width != 1))
		return -EBADMSG;
	*out = found;
	return 0;
}

static uint32_t code_point(const uint8_t *at, uint8_t width)
{
	if (width == 1)
		return at[0];
	if (width == 2)
		return at[0] | at[1] << 8;
	return at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24;
}

void pytext_add(struct buffer *out, const uint8_t *data, size_t stored, uint8_t width,
		uint32_t length)
{
	size_t chars = is_width(width) ? stored / width : 0;
	bool is_cut = length > chars || length > PYTEXT_MAX_CHARS;

	if (chars > length)
		chars = length;
	if (is_cut && chars > PYTEXT_MAX_CHARS - 1)
		chars = PYTEXT_MAX_CHARS - 1;
	for (size_t i = 0; i < chars; i++)
		utf8_add(out, code_point(data + i * width, width));
	if (is_cut)
		utf8_add(out, ELLIPSIS);
}
