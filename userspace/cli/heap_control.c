/* SPDX-License-Identifier: Apache-2.0 */
/* spprofctl heap: begins and ends the sampling of allocations, and tells how it goes. */
#include "cli/cli.h"

#include "cli/fail.h"
#include "cli/heap_probes_call.h"
#include "cli/heap_session_text.h"
#include "cli/output.h"
#include "cli/selection.h"

#include <math.h>
#include <stdbool.h>

/* What is to be known next, when it is three in the morning. */
static void add_next(struct buffer *out, const struct cli_options *o, pid_t pid)
{
	if (o->action == ACTION_START)
		buffer_print(out,
			     "\nWho allocates: spprofctl snapshot --pid %d --heap\n"
			     "Its end:       spprofctl heap stop --pid %d\n",
			     pid, pid);
}

/* @is_next: an empty line comes first. */
static int print_session(const struct cli_options *o, const json_t *session, bool is_next)
{
	OWNS(buffer) struct buffer out = { 0 };

	if (is_next)
		buffer_add_text(&out, "\n");
	heap_session_text_add(session, &out);
	add_next(&out, o, selection_pid(session));
	return output_print(&out);
}

static int change(const struct cli_options *o, pid_t pid, json_t **session)
{
	OWNS(buffer) struct buffer why = { 0 };
	int err;

	if (o->action == ACTION_START)
		err = heap_probes_start(o, pid, ceil(o->seconds), NULL, session, &why);
	else
		err = heap_probes_stop(o, pid, session, &why);
	return fail_reason(err, &why);
}

/* All that may be seen, or one's: a new array. */
static int sessions_of(const struct cli_options *o, pid_t pid, json_t **rows)
{
	OWNS(buffer) struct buffer why = { 0 };
	json_t *json = NULL;
	int err = heap_probes_status(o, pid, &json, &why);

	if (err)
		return fail_reason(err, &why);
	*rows = json_incref(json_object_get(json, "sessions"));
	if (!*rows)
		*rows = json_array();
	json_decref(json);
	return *rows ? 0 : fail(SPPROF_EXIT_FAILED, "out of memory");
}

/* To stop all is to stop what runs. */
static int rows_to_change(const struct cli_options *o, json_t **rows)
{
	if (o->action == ACTION_STOP && o->targets.all)
		return sessions_of(o, 0, rows);
	return selection_rows(o, rows);
}

static int change_all(const struct cli_options *o)
{
	json_t *rows = NULL, *row;
	int first_err = rows_to_change(o, &rows);
	size_t i, printed = 0;

	json_array_foreach(rows, i, row)
	{
		json_t *session = NULL;
		int err = change(o, selection_pid(row), &session);

		if (!err)
			err = o->as_json ? output_json(session)
					 : print_session(o, session, printed++);
		json_decref(session);
		first_err = first_err ? first_err : err;
		if (err == SPPROF_EXIT_NO_DAEMON)
			break;
	}
	json_decref(rows);
	return first_err;
}

static bool names_processes(const struct cli_options *o)
{
	const struct cli_targets *t = &o->targets;

	return t->pid_count || t->match || t->unit || t->cgroup;
}

/* Adds what runs of the selected processes to @all. */
static int gather(const struct cli_options *o, json_t *all)
{
	json_t *selected = NULL, *row, *rows = NULL;
	int err = names_processes(o) ? selection_rows(o, &selected) : sessions_of(o, 0, &rows);
	size_t i;

	json_array_extend(all, rows);
	json_decref(rows);
	json_array_foreach(selected, i, row)
	{
		rows = NULL;
		err = sessions_of(o, selection_pid(row), &rows);
		json_array_extend(all, rows);
		json_decref(rows);
		if (err)
			break;
	}
	json_decref(selected);
	return err;
}

static int print_sessions(const struct cli_options *o, const json_t *sessions)
{
	OWNS(buffer) struct buffer none = { 0 };
	const json_t *session;
	size_t i;
	int err = 0;

	json_array_foreach(sessions, i, session)
	{
		err = print_session(o, session, i);
		if (err)
			return err;
	}
	if (i)
		return 0;
	buffer_print(&none, "no allocations%s are sampled; \"spprofctl heap start\" begins it\n",
		     names_processes(o) ? " of it" : "");
	return output_print(&none);
}

static int show(const struct cli_options *o)
{
	json_t *object = json_object(), *sessions = json_array();
	int err = json_object_set(object, "sessions", sessions)
			  ? fail(SPPROF_EXIT_FAILED, "out of memory")
			  : gather(o, sessions);

	if (!err)
		err = o->as_json ? output_json(object) : print_sessions(o, sessions);
	json_decref(object);
	json_decref(sessions);
	return err;
}

int cli_heap(const struct cli_options *o)
{
	return o->action == ACTION_STATUS ? show(o) : change_all(o);
}
