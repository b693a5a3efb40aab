/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/selection.h"

#include "base/procfs.h"
#include "cli/fail.h"
#include "cli/match.h"
#include "cli/output.h"

#include <errno.h>

/* GETs the rows of /v1/processes with @query ("" or "?…"): a new array. As output_fetch(). */
static int fetch_rows(const struct cli_options *o, const char *query, json_t **rows)
{
	OWNS(buffer) struct buffer target = { 0 };
	json_t *json = NULL;
	int err;

	buffer_print(&target, "/v1/processes%s", query);
	if (buffer_error(&target))
		return fail(SPPROF_EXIT_FAILED, "out of memory");
	err = output_fetch(o->socket, target.data, &json);
	if (err)
		return err;
	*rows = json_incref(json_object_get(json, "processes"));
	if (!*rows)
		*rows = json_array();
	json_decref(json);
	return 0;
}

/*
 * Those of @rows (given up) that can be looked at; all, if there are only others: what the
 * daemon answers to these says why. @what: who was looked for.
 */
static int keep_running(json_t *rows, const char *what, json_t **out)
{
	json_t *some = selection_running(rows);

	if (json_array_size(some) || !json_array_size(rows)) {
		json_decref(rows);
		rows = some;
	} else {
		json_decref(some);
	}
	if (json_array_size(rows)) {
		*out = rows;
		return 0;
	}
	json_decref(rows);
	return fail(SPPROF_EXIT_NO_TARGET,
		    "no Python process %s; \"spprofctl list\" shows those that there are", what);
}

static int rows_by_match(const struct cli_options *o, json_t **out)
{
	OWNS(buffer) struct buffer why = { 0 };
	OWNS(match) struct match *m = match_new(o->targets.match, &why);
	json_t *rows = NULL, *some = NULL;
	int err = m ? fetch_rows(o, "", &rows) : fail(SPPROF_EXIT_FAILED, "out of memory");

	if (err)
		return err;
	err = selection_match(rows, m, geteuid(), proc_cmdline, &some);
	json_decref(rows);
	if (err == -E2BIG)
		return fail(SPPROF_EXIT_USAGE, "--match \"%s\" takes too many steps; simplify it",
			    o->targets.match);
	if (err)
		return fail(SPPROF_EXIT_FAILED, "out of memory");
	buffer_print(&why, "of yours matches \"%s\"", o->targets.match);
	return keep_running(some, why.data ? why.data : "matches", out);
}

/* @name is "unit" or "cgroup", @value which; or NULL: all. */
static int rows_by_daemon(const struct cli_options *o, const char *name, const char *value,
			  json_t **out)
{
	OWNS(buffer) struct buffer query = { 0 };
	OWNS(buffer) struct buffer what = { 0 };
	json_t *rows = NULL;
	int err;

	buffer_add_text(&query, "");
	buffer_add_text(&what, "that you may see runs");
	if (name) {
		buffer_print(&query, "?%s=", name);
		selection_add_escaped(&query, value);
		buffer_print(&what, " in %s %s", name, value);
	}
	if (buffer_error(&query) || buffer_error(&what))
		return fail(SPPROF_EXIT_FAILED, "out of memory");
	err = fetch_rows(o, query.len ? query.data : "", &rows);
	return err ? err : keep_running(rows, what.data, out);
}

static int rows_of_pids(const struct cli_targets *t, json_t **out)
{
	json_t *rows = json_array();

	for (unsigned int i = 0; i < t->pid_count; i++)
		if (json_array_append_new(rows, json_pack("{si}", "pid", t->pids[i]))) {
			json_decref(rows);
			return fail(SPPROF_EXIT_FAILED, "out of memory");
		}
	*out = rows;
	return 0;
}

static void add_about(struct buffer *text, const json_t *row)
{
	output_add_scalar(text, json_object_get(row, "pid"));
	buffer_add_text(text, " ");
	output_add_scalar(text, json_object_get(row, "python"));
	buffer_add_text(text, " ");
	output_add_scalar(text, json_object_get(row, "name"));
}

static int fail_many(const json_t *rows)
{
	OWNS(buffer) struct buffer list = { 0 };
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		add_about(&list, row);
		buffer_add_text(&list, "\n");
	}
	fail(SPPROF_EXIT_USAGE,
	     "%zu Python processes run; say which with --pid, --match, --unit, --cgroup or --all",
	     json_array_size(rows));
	if (!buffer_error(&list))
		fwrite(list.data, 1, list.len, stderr);
	return SPPROF_EXIT_USAGE;
}

/* Nothing was said: the only one. */
static int rows_of_only(const struct cli_options *o, json_t **out)
{
	OWNS(buffer) struct buffer about = { 0 };
	json_t *rows = NULL, *some;
	int err = fetch_rows(o, "", &rows);

	if (err)
		return err;
	some = selection_running(rows);
	json_decref(rows);
	if (json_array_size(some) != 1) {
		err = json_array_size(some)
			      ? fail_many(some)
			      : fail(SPPROF_EXIT_NO_TARGET, "no Python process runs that you may "
							    "see; name one with --pid");
		json_decref(some);
		return err;
	}
	add_about(&about, json_array_get(some, 0));
	if (!buffer_error(&about))
		fprintf(stderr, "the only Python process: %s\n", about.data);
	*out = some;
	return 0;
}

int selection_rows(const struct cli_options *o, json_t **rows)
{
	const struct cli_targets *t = &o->targets;

	if (t->pid_count)
		return rows_of_pids(t, rows);
	if (t->match)
		return rows_by_match(o, rows);
	if (t->unit)
		return rows_by_daemon(o, "unit", t->unit, rows);
	if (t->cgroup)
		return rows_by_daemon(o, "cgroup", t->cgroup, rows);
	return t->all ? rows_by_daemon(o, NULL, NULL, rows) : rows_of_only(o, rows);
}

static int add_pids(const struct cli_options *o, struct buffer *query)
{
	json_t *rows = NULL, *row;
	int err = selection_rows(o, &rows);
	size_t i, count = json_array_size(rows);

	if (!err && count > SPPROF_PIDS_MAX)
		err = fail(SPPROF_EXIT_USAGE, "%zu processes match \"%s\"; at most %d go together",
			   count, o->targets.match, SPPROF_PIDS_MAX);
	json_array_foreach(rows, i, row)
	{
		if (!err)
			buffer_print(query, "%s%d", i ? "," : "pid=", selection_pid(row));
	}
	json_decref(rows);
	return err;
}

int selection_query(const struct cli_options *o, struct buffer *query)
{
	const struct cli_targets *t = &o->targets;
	const char *value = t->unit ? t->unit : t->cgroup;

	if (t->all) {
		buffer_add_text(query, "all=1");
		return 0;
	}
	if (!value)
		return add_pids(o, query);
	buffer_add_text(query, t->unit ? "unit=" : "cgroup=");
	selection_add_escaped(query, value);
	return 0;
}

int selection_check_group(const struct cli_options *o)
{
	json_t *rows = NULL;
	int err = 0;

	if (o->targets.unit || o->targets.cgroup)
		err = selection_rows(o, &rows);
	json_decref(rows);
	return err;
}
