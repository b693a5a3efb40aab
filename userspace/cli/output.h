/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs print: JSON as it came, and texts and tables that a terminal may show. */
#ifndef SPPROF_CLI_OUTPUT_H
#define SPPROF_CLI_OUTPUT_H

#include "base/buffer.h"
#include "control/client.h"

#include <jansson.h>

#define TABLE_COLUMNS 8 /* at most */

/*
 * GETs @target from the daemon: 0 and *@json, the caller's reference; or the exit code,
 * and the error has been printed.
 */
int output_fetch(const char *socket, const char *target, json_t **json);

/* The same, but the error is put into @why. */
int output_ask(const char *socket, const char *target, json_t **json, struct buffer *why);

/* The same with another @method, as "POST", and a @watch or NULL: see control_call(). */
int output_call(const char *socket, const char *method, const char *target,
		const struct control_watch *watch, json_t **json, struct buffer *why);

/* All of @text on standard output. 0, or the exit code. */
int output_print(const struct buffer *text);

/* @json and a newline, on standard output. 0, or the exit code. */
int output_json(const json_t *json);

/* Appends a scalar as text for a terminal; "-" for null and for what is no scalar. */
void output_add_scalar(struct buffer *out, const json_t *value);

/*
 * Appends @rows (an array of objects) as a table of @members, up to NULL, under their
 * names in capitals. Columns are as wide as their widest cell.
 */
void output_add_table(struct buffer *out, const json_t *rows, const char *const *members);

#endif
