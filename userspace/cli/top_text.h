/* SPDX-License-Identifier: Apache-2.0 */
/* top_text - lines of `spprofctl top`, without their newlines, harmless for a terminal. Pure. */
#ifndef SPPROF_CLI_TOP_TEXT_H
#define SPPROF_CLI_TOP_TEXT_H

#include "base/buffer.h"
#include "cli/top_table.h"

/* The names of the columns, each so wide. */
#define TOP_COLUMN_WIDTH 9
const char *top_text_head(void);

/* What is looked at, and how long. */
void top_text_add_title(struct buffer *out, const char *what, const struct profile *p);

/* Samples, their rate, loss, threads. */
void top_text_add_facts(struct buffer *out, const struct profile *p, const struct top_table *t);

/* A row: its numbers up to TOP_NAME_COLUMN, and its name, of any length. */
#define TOP_NAME_COLUMN 38
void top_text_add_numbers(struct buffer *out, const struct top_table *t, uint32_t row);
void top_text_add_name(struct buffer *out, const struct profile *p, const struct top_row *row);

/* All of it, with at most @rows_most rows, each line with its newline. */
void top_text_add_block(struct buffer *out, const char *what, const struct profile *p,
			const struct top_table *t, uint32_t rows_most);

#endif
