/* SPDX-License-Identifier: Apache-2.0 */
/* Text from targets: made valid UTF-8 when it is read, made harmless when a terminal shows it. */
#ifndef SPPROF_UTF8_H
#define SPPROF_UTF8_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stdint.h>

/* Appends @code_point; a surrogate or a value above U+10FFFF becomes U+FFFD. */
void utf8_add(struct buffer *out, uint32_t code_point);

/* Appends @len bytes at @text; each byte that is not part of valid UTF-8 becomes U+FFFD. */
void utf8_repair(struct buffer *out, const char *text, size_t len);

bool utf8_is_valid(const char *text, size_t len);

/*
 * Appends @text (valid UTF-8) for a terminal or a line of text: control characters
 * (C0, DEL, C1) and bidirectional controls (U+202A-E, U+2066-9) become \xNN or \uNNNN.
 */
void utf8_add_visible(struct buffer *out, const char *text);

/* The same of @len bytes, which a NUL follows and others may be among. */
void utf8_add_visible_bytes(struct buffer *out, const char *text, size_t len);

#endif
