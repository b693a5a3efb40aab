/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of heap_growth_text.c: its columns and its other tables. */
#ifndef SPPROF_CLI_HEAP_GROWTH_TEXT_PARTS_H
#define SPPROF_CLI_HEAP_GROWTH_TEXT_PARTS_H

#include "base/buffer.h"

#include <jansson.h>

#define HEAP_GROWTH_ROWS 10   /* of a table */
#define HEAP_GROWTH_INDENT 12 /* of what is below a row's amount */

/* Appends "LOW to HIGH" of @row, in a column. */
void heap_growth_add_interval(struct buffer *out, const json_t *row);

/*
 * Appends how many more there are: of @rows beyond the @shown, and those of @omitted, for which
 * the answer had no room.
 */
void heap_growth_add_more(struct buffer *out, size_t shown, const json_t *rows,
			  const json_t *omitted, const char *of_them);

/* Appends what lives, and what is freed, by who allocated it. @which: of all blocks, or "". */
void heap_growth_add_live(struct buffer *out, const json_t *heap, const char *which);
void heap_growth_add_temporary(struct buffer *out, const json_t *heap, const char *which);

#endif
