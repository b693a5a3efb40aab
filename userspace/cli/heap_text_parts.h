/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of heap_text.c: numbers as it shows them, and its tables. */
#ifndef SPPROF_CLI_HEAP_TEXT_PARTS_H
#define SPPROF_CLI_HEAP_TEXT_PARTS_H

#include "base/buffer.h"

#include <jansson.h>

/* 0 where there is none. */
double heap_number(const json_t *object, const char *member);

/* Appends "12.3 MiB", right-aligned; "-" where there is no number. */
void heap_add_bytes(struct buffer *out, const json_t *bytes, int width);

/* Appends a number, "-" where there is none, right-aligned: with one digit behind the point below 10. */
void heap_add_count(struct buffer *out, const json_t *count, int width);

/* Appends the @most largest types, how many more there are, and all storage. */
void heap_add_tables(struct buffer *out, const json_t *heap, size_t most);

#endif
