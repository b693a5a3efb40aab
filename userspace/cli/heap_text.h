/* SPDX-License-Identifier: Apache-2.0 */
/* heap_text - the heap of /v1/heap, laid out for a terminal. A member that is missing is "-". */
#ifndef SPPROF_CLI_HEAP_TEXT_H
#define SPPROF_CLI_HEAP_TEXT_H

#include "base/buffer.h"

#include <jansson.h>

/* What a page says of its heap: its member "heap", or "heap_error" where that is null. */
void heap_text_add_part(const json_t *page, struct buffer *out);

/* The heap with its process: the largest types. */
void heap_text_add(const json_t *heap, struct buffer *out);

/* The same with all types. */
void heap_text_add_types(const json_t *heap, struct buffer *out);

#endif
