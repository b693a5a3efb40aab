/* SPDX-License-Identifier: Apache-2.0 */
#include "native/elf_notes.h"

#include "base/cursor.h"

#include <elf.h>

static uint32_t take_word(struct cursor *c, bool is_swapped)
{
	const uint8_t *at = take_bytes(c, sizeof(uint32_t));
	uint32_t word = 0;

	if (at)
		memcpy(&word, at, sizeof(word));
	return is_swapped ? __builtin_bswap32(word) : word;
}

/* The last one need not be filled up. */
static const uint8_t *take_filled(struct cursor *c, uint32_t len, size_t align)
{
	const uint8_t *at = take_bytes(c, len);
	size_t fill = -(size_t)len & (align - 1);

	if (at)
		take_bytes(c, fill < cursor_left(c) ? fill : cursor_left(c));
	return at;
}

bool elf_notes_build_id(const void *notes, size_t len, size_t align, bool is_swapped,
			struct build_id *out)
{
	struct cursor c = cursor_of(notes, len);

	while (cursor_left(&c) && !c.short_read) {
		uint32_t name_len = take_word(&c, is_swapped);
		uint32_t desc_len = take_word(&c, is_swapped);
		uint32_t type = take_word(&c, is_swapped);
		const uint8_t *name = take_filled(&c, name_len, 4); /* 12 + 4 is filled up to 8 */
		const uint8_t *desc = take_filled(&c, desc_len, align);

		if (!desc || type != NT_GNU_BUILD_ID || name_len != sizeof(ELF_NOTE_GNU) ||
		    memcmp(name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) || !desc_len)
			continue;
		*out = (struct build_id){ .len = desc_len < BUILD_ID_MAX ? desc_len
									 : BUILD_ID_MAX };
		memcpy(out->bytes, desc, out->len);
		return true;
	}
	return false;
}
