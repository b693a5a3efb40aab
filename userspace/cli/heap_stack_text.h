/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_stack_text - who allocated, for a terminal of 80 columns: the line of Python first, what
 * it went through, and its callers.
 */
#ifndef SPPROF_CLI_HEAP_STACK_TEXT_H
#define SPPROF_CLI_HEAP_STACK_TEXT_H

#include "base/buffer.h"

#include <jansson.h>

/* Appends "FUNCTION (FILE:LINE)". */
void heap_stack_text_add_frame(struct buffer *out, const json_t *frame);

/* Appends lines, each after @indent blanks, of @frames from the @first on, the leaf first. */
void heap_stack_text_add(struct buffer *out, const json_t *frames, size_t first, size_t indent);

#endif
