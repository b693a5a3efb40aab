/* SPDX-License-Identifier: Apache-2.0 */
/* snapshot_text - the page of /v1/snapshot, laid out for a terminal. */
#ifndef SPPROF_CLI_SNAPSHOT_TEXT_H
#define SPPROF_CLI_SNAPSHOT_TEXT_H

#include "base/buffer.h"

#include <jansson.h>

/* Appends the text of @page; a member that is missing is "-". */
void snapshot_text_add(const json_t *page, struct buffer *out);

#endif
