/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a Python string out of a process. */
#ifndef SPPROF_TEXT_READER_H
#define SPPROF_TEXT_READER_H

#include "base/buffer.h"
#include "resolve/target_memory.h"
#include "spprof_pylayout.h"

#include <stdint.h>

/* Appends a string as pytext_add() does; U+0000 becomes U+FFFD. */
void text_add(struct buffer *out, const uint8_t *data, size_t stored, uint8_t width,
	      uint32_t length);

/*
 * Appends the string at @string; of one longer than @most_chars, which is at most
 * PYTEXT_MAX_CHARS, the beginning and U+2026. 0; -EBADMSG it is none; -ENOMEM, or what the
 * reader says.
 */
int text_read(const struct target_reader *memory, const struct sp_pylayout *at, uint64_t string,
	      uint32_t most_chars, struct buffer *out);

#endif
