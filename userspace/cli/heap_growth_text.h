/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_growth_text - who makes a heap grow, who holds it, who allocated and freed: what /v1/heap
 * says of a process whose allocations are sampled, for a terminal of 80 columns.
 */
#ifndef SPPROF_CLI_HEAP_GROWTH_TEXT_H
#define SPPROF_CLI_HEAP_GROWTH_TEXT_H

#include "base/buffer.h"

#include <jansson.h>

/* Appends a line: how much of the heap's change the probes saw. */
void heap_growth_text_add_seen(const json_t *heap, struct buffer *out);

/* Appends the tables, each after an empty line. */
void heap_growth_text_add(const json_t *heap, struct buffer *out);

#endif
