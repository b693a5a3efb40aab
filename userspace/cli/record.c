/* SPDX-License-Identifier: Apache-2.0 */
/* spprofctl record: a profile, from the daemon into a file of the format asked for. */
#include "cli/cli.h"

#include "cli/fail.h"
#include "cli/options.h"
#include "cli/profile_file.h"
#include "cli/recording.h"
#include "cli/selection.h"
#include "cli/signals.h"
#include "import/pprof.h"

#include <errno.h>
#include <string.h>

/* What is profiled, for a file's name. */
static void name_target(const struct recording *r, char *name, size_t room)
{
	bool is_one = !strncmp(r->query, "pid=", 4) && !strchr(r->query, ',');

	if (is_one)
		snprintf(name, room, "%s", r->query + 4);
	else
		snprintf(name, room, "%s", r->options->targets.all ? "all" : "several");
}

static int write_profile(const struct recording *r, struct control_reply *reply,
			 struct output_file *file)
{
	char target[16];
	int err = 0;
	OWNS(profile) struct profile *p = import_pprof(reply->body.data, reply->body.len, &err);

	if (!p)
		return fail(SPPROF_EXIT_FAILED, "cannot read the profile that spprofd sent: %s",
			    strerror(-err));
	if (r->child && !*profile_string(p, profile_about_get(p)->python))
		return fail(SPPROF_EXIT_UNSUPPORTED,
			    "%s never became a Python that is followed: `spprofctl list` says why, "
			    "while it runs",
			    r->options->command[0]);
	name_target(r, target, sizeof(target));
	return profile_file_write(r->options, p, &reply->body, target, file);
}

/* With r->query set. */
static int run(struct recording *r, struct output_file *file)
{
	OWNS(control_reply) struct control_reply reply = { 0 };
	int err = recording_run(r, &reply);

	if (r->exec_err)
		return fail(SPPROF_EXIT_FAILED, "cannot execute %s: %s", r->options->command[0],
			    strerror(-r->exec_err));
	if (err)
		return fail_call(err, r->options->socket);
	err = fail_reply(&reply);
	return err ? err : write_profile(r, &reply, file);
}

static int run_with_child(struct recording *r, struct output_file *file, const sigset_t *mask)
{
	OWNS(child) struct child child = { 0 };
	char query[24];
	int err = child_start(&child, r->options->command, mask);

	if (err)
		return fail(SPPROF_EXIT_FAILED, "cannot start a process: %s", strerror(-err));
	snprintf(query, sizeof(query), "pid=%d", child.pid);
	r->query = query;
	r->child = &child;
	err = run(r, file);
	recording_wait_child(r);
	return err ? err : child_exit_code(&child);
}

static int run_with_targets(struct recording *r, struct output_file *file)
{
	OWNS(buffer) struct buffer query = { 0 };
	const struct cli_options *o = r->options;
	bool is_past = o->last > 0 || o->recent > 0; /* where groups may have been */
	int err = is_past ? 0 : selection_check_group(o);

	if (!err)
		err = selection_query(o, &query);
	if (err)
		return err;
	if (buffer_error(&query))
		return fail(SPPROF_EXIT_FAILED, "out of memory");
	r->query = query.data;
	return run(r, file);
}

int cli_record(const struct cli_options *o)
{
	OWNS(output_file) struct output_file file = { .fd = -1 };
	OWNS_FD int signals = -1;
	struct recording r = { .options = o };
	sigset_t before;
	int err = profile_file_open(&file, o);

	if (err)
		return err;
	signals = signals_open(0, &before);
	if (signals < 0)
		return fail(SPPROF_EXIT_FAILED, "cannot wait for signals: %s", strerror(-signals));
	r.signals = signals;
	return o->command ? run_with_child(&r, &file, &before) : run_with_targets(&r, &file);
}
