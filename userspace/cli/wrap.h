/* SPDX-License-Identifier: Apache-2.0 */
/* wrap - text in lines of 80 columns. */
#ifndef SPPROF_CLI_WRAP_H
#define SPPROF_CLI_WRAP_H

#include "base/buffer.h"

#include <stddef.h>

/* Code points of @text, valid UTF-8: near enough to columns. */
size_t wrap_width(const char *text);

/*
 * Appends @text to a line that has @column columns already, in lines that are broken at blanks
 * and go on after @indent blanks; a word that is longer has a line to itself. Returns the
 * columns of the last line.
 */
size_t wrap_add(struct buffer *out, size_t column, size_t indent, const char *text);

/* The same of a text that is not broken, as if it were a word. */
size_t wrap_add_whole(struct buffer *out, size_t column, size_t indent, const char *text);

#endif
