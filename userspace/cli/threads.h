/* SPDX-License-Identifier: Apache-2.0 */
/* threads - what each thread does now, as text: of a dump and of a snapshot. */
#ifndef SPPROF_CLI_THREADS_H
#define SPPROF_CLI_THREADS_H

#include "base/buffer.h"

#include <jansson.h>

/* Appends @threads, at most @frames_most of the newest frames each. */
void threads_add(struct buffer *out, const json_t *threads, size_t frames_most);

#endif
