/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a JSON string, for writers too large to build a tree first. */
#ifndef SPPROF_JSON_TEXT_H
#define SPPROF_JSON_TEXT_H

#include "base/buffer.h"

/* Appends @len bytes of valid UTF-8 as they stand between the quotes of a JSON string. */
void json_add_text(struct buffer *out, const char *text, size_t len);

#endif
