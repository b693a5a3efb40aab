/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_session_text - the sampling of a process's allocations, as /v1/heap/status tells it, laid
 * out for a terminal of 80 columns. A member that is missing is "-".
 */
#ifndef SPPROF_CLI_HEAP_SESSION_TEXT_H
#define SPPROF_CLI_HEAP_SESSION_TEXT_H

#include "base/buffer.h"

#include <jansson.h>

/* All of it, on a screen. */
void heap_session_text_add(const json_t *session, struct buffer *out);

/* The lines of it that a page on a heap has. */
void heap_session_text_add_part(const json_t *session, struct buffer *out);

/* Appends "61.0 s", "12.5 min" or "3.0 h"; "-" where there is no number. */
void heap_session_text_add_time(struct buffer *out, const json_t *seconds);

#endif
