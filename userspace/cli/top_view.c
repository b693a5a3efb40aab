/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top_view.h"

#include "base/clock.h"
#include "cli/fail.h"
#include "cli/output.h"
#include "cli/selection.h"
#include "cli/signals.h"
#include "import/pprof.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <string.h>

#define WINDOW_S 10.0 /* at most, of the past */
#define SLICE_S 1.0   /* the daemon's: nothing shorter is known */

static bool is_of_pids(const struct top_view *v)
{
	return !strncmp(v->query.data, "pid=", 4);
}

/* The rows of /v1/processes of what is looked at; a JSON object, or NULL. */
static json_t *fetch_rows(const struct top_view *v, struct control_reply *r)
{
	OWNS(buffer) struct buffer target = { 0 };

	buffer_print(&target, "/v1/processes?%s", v->query.data);
	if (buffer_error(&target) || control_call(v->options->socket, "GET", target.data, NULL, r))
		return NULL;
	return r->body.data ? json_loadb(r->body.data, r->body.len, JSON_ALLOW_NUL, NULL) : NULL;
}

/* "1234 python3 (Python 3.11.2)", or no more than the pid where that is not known. */
static void describe_one(struct top_view *v)
{
	OWNS(control_reply) struct control_reply reply = { 0 };
	json_t *json = fetch_rows(v, &reply);
	const json_t *row = json_array_get(json_object_get(json, "processes"), 0);

	buffer_add_text(&v->what, v->query.data + 4);
	if (row) {
		buffer_add_text(&v->what, " ");
		output_add_scalar(&v->what, json_object_get(row, "name"));
		buffer_add_text(&v->what, " (Python ");
		output_add_scalar(&v->what, json_object_get(row, "python"));
		buffer_add_text(&v->what, ")");
	}
	json_decref(json);
}

static unsigned int pids_in(const char *query)
{
	unsigned int count = 1;

	for (; *query; query++)
		count += *query == ',';
	return count;
}

static void describe(struct top_view *v)
{
	const struct cli_targets *t = &v->options->targets;

	if (t->all)
		buffer_add_text(&v->what, "all Python processes");
	else if (t->unit)
		buffer_print(&v->what, "unit %s", t->unit);
	else if (t->cgroup)
		buffer_print(&v->what, "control group %s", t->cgroup);
	else if (pids_in(v->query.data) > 1)
		buffer_print(&v->what, "%u processes", pids_in(v->query.data));
	else
		describe_one(v);
}

int top_view_init(struct top_view *v, const struct cli_options *o, int signals)
{
	OWNS(top_view) struct top_view made = { .options = o, .signals = signals };
	int err = selection_check_group(o);

	if (!err)
		err = selection_query(o, &made.query);
	if (err)
		return err;
	made.order = o->order;
	if (!buffer_error(&made.query))
		describe(&made);
	if (buffer_error(&made.query) || buffer_error(&made.what))
		return fail(SPPROF_EXIT_FAILED, "out of memory");
	*v = made;
	made = (struct top_view){ 0 };
	return 0;
}

void top_view_fini(struct top_view *v)
{
	top_table_fini(&v->table);
	profile_free(v->profile);
	control_reply_fini(&v->reply);
	buffer_fini(&v->query);
	buffer_fini(&v->what);
	*v = (struct top_view){ 0 };
}

int top_view_sort(struct top_view *v)
{
	struct top_table table;

	if (!v->profile)
		return 0;
	if (top_table_make(v->profile, v->rows, v->order, &table))
		return -ENOMEM;
	top_table_fini(&v->table);
	v->table = table;
	return 0;
}

static int watch_signals(const char *session, void *ctx)
{
	const struct top_view *v = ctx;

	(void)session;
	return signals_came(v->signals);
}

static double window_s(const struct top_view *v)
{
	double s = v->since_ns ? (monotonic_ns() - v->since_ns) / 1e9 : WINDOW_S;

	return s > WINDOW_S ? WINDOW_S : s < SLICE_S ? SLICE_S : s;
}

/* Into v->reply. As control_call(). */
static int ask(struct top_view *v)
{
	const struct control_watch watch = { .poll = watch_signals, .ctx = v };
	OWNS(buffer) struct buffer target = { 0 };

	buffer_print(&target, "/v1/profile?%s&recent=%.3f", v->query.data, window_s(v));
	if (buffer_error(&target))
		return -ENOMEM;
	control_reply_fini(&v->reply);
	return control_call(v->options->socket, "GET", target.data, &watch, &v->reply);
}

static int take_profile(struct top_view *v)
{
	int err = 0;
	struct profile *p;

	if (v->reply.status != 200)
		return -EREMOTEIO;
	p = import_pprof(v->reply.body.data, v->reply.body.len, &err);
	if (!p)
		return err;
	profile_free(v->profile);
	v->profile = p;
	return top_view_sort(v);
}

int top_view_look(struct top_view *v)
{
	v->err = ask(v);
	if (v->err)
		return v->err;
	v->err = take_profile(v);
	return v->err;
}

int top_view_fail(const struct top_view *v)
{
	int exit = v->reply.status ? fail_reply(&v->reply) : fail_call(v->err, v->options->socket);

	if (exit)
		return exit;
	return fail(SPPROF_EXIT_FAILED, "cannot read the profile that spprofd sent: %s",
		    strerror(-v->err));
}

/* Their ids may be those of another PID namespace: that the daemon has them not is what counts. */
bool top_view_has_ended(const struct top_view *v)
{
	OWNS(control_reply) struct control_reply reply = { 0 };
	json_t *json, *rows;
	bool has_ended;

	if (!is_of_pids(v))
		return false;
	for (const char *at = v->query.data + 4; at; at = strchr(at, ','))
		if (!kill(strtol(at + (*at == ','), NULL, 10), 0) || errno != ESRCH)
			return false;
	json = fetch_rows(v, &reply);
	rows = json_object_get(json, "processes");
	has_ended = json_is_array(rows) && !json_array_size(rows);
	json_decref(json);
	return has_ended;
}
