/* SPDX-License-Identifier: Apache-2.0 */
/* A frame's text in collapsed stacks: nothing in it may look like the line's own syntax. */
#ifndef SPPROF_COLLAPSED_TEXT_H
#define SPPROF_COLLAPSED_TEXT_H

#include "base/buffer.h"

/*
 * Appends @len bytes of valid UTF-8 at @text:
 * - `;` and control characters (C0, DEL, C1) as \xHH, their code point;
 * - U+2028 and U+2029 as \u2028 and \u2029: they end a line for JavaScript's `.`;
 * - a backslash that would read as one of these as \x5c, so they can be read back;
 * - the last blank before a number at the end as \x20: `f 12 5` would read as a
 *   difference of two profiles;
 * - without the blanks at the end, and `[unknown]` if nothing is left.
 */
void collapsed_add_text(struct buffer *out, const char *text, size_t len);

#endif
