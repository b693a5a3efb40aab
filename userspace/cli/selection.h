/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selection - which processes a verb is about: those that its options name, or the one
 * Python process that there is.
 */
#ifndef SPPROF_CLI_SELECTION_H
#define SPPROF_CLI_SELECTION_H

#include "base/buffer.h"
#include "cli/options.h"

#include <jansson.h>

struct match;

/*
 * Appends to @query what the daemon is to be asked for: "pid=12,34", "all=1", "unit=NAME"
 * or "cgroup=PATH". 0, or the exit code, and the error has been printed.
 */
int selection_query(const struct cli_options *o, struct buffer *query);

/*
 * Whether a group that @o names, if any, holds a process that can be looked at. 0, or the
 * exit code, and the error has been printed.
 */
int selection_check_group(const struct cli_options *o);

/*
 * The selected processes, at least one: a new array of objects with at least "pid", rows of
 * /v1/processes where these were asked for. 0, or the exit code, and the error has been
 * printed.
 */
int selection_rows(const struct cli_options *o, json_t **rows);

static inline pid_t selection_pid(const json_t *row)
{
	return json_integer_value(json_object_get(row, "pid"));
}

/* Pure parts of these: selection_filter.c. */

/* A new array of those @rows that can be looked at; NULL when out of memory. */
json_t *selection_running(const json_t *rows);

/* What match_search() is asked of: see proc_cmdline(). */
typedef ssize_t (*selection_cmdline)(pid_t pid, char *out, size_t room);

/*
 * Those @rows of user @uid (0: of anybody) whose command line @m matches. 0 and *@out, a
 * new array; or -ENOMEM, or -E2BIG: matching one took too long.
 */
int selection_match(const json_t *rows, struct match *m, uid_t uid, selection_cmdline cmdline,
		    json_t **out);

/* Appends @text so that it can stand in a query. */
void selection_add_escaped(struct buffer *query, const char *text);

#endif
