/* SPDX-License-Identifier: Apache-2.0 */
/* PyUnicode contents: Latin-1, two- or four-byte code points, into UTF-8. */
#ifndef SPPROF_PYTEXT_H
#define SPPROF_PYTEXT_H

#include "base/buffer.h"

#include <stdint.h>

#define PYTEXT_MAX_CHARS 1024 /* longer names are cut there and end in U+2026 */

/* What the state word of a PyASCIIObject says. */
struct pytext_state {
	uint8_t width; /* bytes a code point: 1, 2, 4 */
	uint8_t is_compact;
	uint8_t is_ascii;
};

/*
 * @state: the 32-bit word at PyASCIIObject.state, 3.8 to 3.15. @kind: sp_pylayout.unicode_kind.
 * 0 and *@out, or -EBADMSG if no string has such a state.
 * Source: cpython Include/cpython/unicodeobject.h.
 */
int pytext_decode_state(uint32_t state, unsigned int kind, struct pytext_state *out);

/*
 * Appends @stored bytes, @width a code point, as UTF-8; none for a width that is not 1, 2
 * or 4. A lone surrogate becomes U+FFFD. If @length code points, the whole string, are more
 * than were stored or than PYTEXT_MAX_CHARS, the text ends in U+2026 after at most
 * PYTEXT_MAX_CHARS - 1 of them.
 */
void pytext_add(struct buffer *out, const uint8_t *data, size_t stored, uint8_t width,
		uint32_t length);

#endif
