/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/text_reader.h"

#include "python/pytext.h"

#include <errno.h>
#include <string.h>

void text_add(struct buffer *out, const uint8_t *data, size_t stored, uint8_t width,
	      uint32_t length)
{
	OWNS(buffer) struct buffer text = { .data = NULL };
	const char *at, *nul;
	size_t left;

	pytext_add(&text, data, stored, width, length);
	at = text.data;
	left = text.len;
	while (left && (nul = memchr(at, 0, left))) {
		buffer_add(out, at, nul - at);
		buffer_add_text(out, "\xef\xbf\xbd"); /* U+FFFD */
		left -= nul + 1 - at;
		at = nul + 1;
	}
	if (left)
		buffer_add(out, at, left);
	if (buffer_error(&text))
		out->err = buffer_error(&text);
}

int text_read(const struct target_reader *memory, const struct sp_pylayout *at, uint64_t string,
	      uint32_t most_chars, struct buffer *out)
{
	uint8_t data[PYTEXT_MAX_CHARS * 4];
	struct pytext_state state;
	uint64_t length, chars;
	uint32_t word;
	int err = memory->read(memory->ctx, string + at->unicode_length, &length, sizeof(length));

	if (!err)
		err = memory->read(memory->ctx, string + at->unicode_state, &word, sizeof(word));
	if (err)
		return err;
	if (length > INT32_MAX || pytext_decode_state(word, at->unicode_kind, &state) ||
	    !state.is_compact)
		return -EBADMSG;
	chars = length > most_chars ? most_chars : length;
	string += state.is_ascii ? at->ascii_size : at->compact_size;
	err = memory->read(memory->ctx, string, data, chars * state.width);
	if (err)
		return err;
	text_add(out, data, chars * state.width, state.width, length);
	return buffer_error(out);
}
