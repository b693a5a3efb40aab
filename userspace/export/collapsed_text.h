/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A frame's text in collapsed stacks: nothing in it may look like the line's own syntax,
 * and import/collapsed_element.c reads it back to the same name.
 *
 * In all of them, with names of valid UTF-8:
 * - `;` and control characters (C0, DEL, C1) become \xHH, their code point;
 * - U+2028 and U+2029 become \u2028 and \u2029: they end a line for JavaScript's `.`;
 * - a backslash that would read as one of these becomes \x5c, a `# ` at the front, which
 *   would read as a comment, \x23;
 * - a name of nothing becomes `[unknown]`.
 */
#ifndef SPPROF_COLLAPSED_TEXT_H
#define SPPROF_COLLAPSED_TEXT_H

#include "base/buffer.h"

#include <stdint.h>

/*
 * Appends a text that stands alone:
 * - the last blank before a number at the end becomes \x20: `f 12 5` would read as a
 *   difference of two profiles; so does a blank at the end;
 * - `)` and `]` at the end become \xHH where the text would read as Python's or the
 *   kernel's.
 */
void collapsed_add_text(struct buffer *out, const char *text, size_t len);

/* Appends `NAME (FILE:LINE)`; a ` (` inside the name or the file becomes ` \x28`. */
void collapsed_add_python(struct buffer *out, const char *name, size_t name_len, const char *file,
			  size_t file_len, uint32_t line);

/* Appends `NAME_[k]`. */
void collapsed_add_kernel(struct buffer *out, const char *name, size_t len);

#endif
