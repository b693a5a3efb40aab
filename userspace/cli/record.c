/* SPDX-License-Identifier: Apache-2.0 */
/* spprofctl record: a profile, from the daemon into a file of the format asked for. */
#include "cli/cli.h"

#include "cli/fail.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/recording.h"
#include "import/pprof.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>

/* The signals that end a recording, blocked from here on; @before is the mask until now. */
static int open_signals(sigset_t *before)
{
	sigset_t ours;
	int fd;

	sigemptyset(&ours);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGHUP);
	fd = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return -errno;
	sigprocmask(SIG_BLOCK, &ours, before);
	return fd;
}

/* Like "spprof-1234-20260131-235959.speedscope.json". */
static void own_name(const struct recording *r, char *name, size_t room)
{
	const struct cli_options *o = r->options;
	char target[16] = "all", when[32];
	time_t now = time(NULL);
	struct tm local;

	if (!o->all_processes)
		snprintf(target, sizeof(target), "%d", r->child ? r->child->pid : o->pid);
	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", localtime_r(&now, &local));
	snprintf(name, room, "spprof-%s-%s%s", target, when, o->format->ending);
}

static void tell(const char *name, const struct profile *p)
{
	const struct profile_about *about = profile_about_get(p);
	const struct profile_sample *rows;
	uint64_t samples = 0;
	uint32_t count;

	rows = profile_samples(p, &count);
	for (uint32_t i = 0; i < count; i++)
		samples += rows[i].count;
	fprintf(stderr, "wrote %s (%" PRIu64 " samples, %" PRIu64 " lost, %.1f s)\n", name, samples,
		about->lost, about->duration_ns / 1e9);
}

/* pprof is what came; every other format is made of it. */
static int convert(const struct cli_options *o, const struct profile *p,
		   struct control_reply *reply, struct buffer *out)
{
	if (o->format != &export_pprof)
		return o->format->write(p, &o->shape, out);
	*out = reply->body;
	reply->body = (struct buffer){ 0 };
	return 0;
}

static int write_profile(const struct recording *r, struct control_reply *reply,
			 struct output_file *file)
{
	const struct cli_options *o = r->options;
	OWNS(buffer) struct buffer out = { 0 };
	char name[96];
	int err = 0;
	OWNS(profile) struct profile *p = import_pprof(reply->body.data, reply->body.len, &err);

	if (!p)
		return fail(SPPROF_EXIT_FAILED, "cannot read the profile that spprofd sent: %s",
			    strerror(-err));
	if (r->child && !*profile_string(p, profile_about_get(p)->python))
		return fail(SPPROF_EXIT_UNSUPPORTED,
			    "%s never became a Python that is followed: `spprofctl list` says why, "
			    "while it runs",
			    o->command[0]);
	err = convert(o, p, reply, &out);
	if (!err)
		err = buffer_error(&out);
	if (err)
		return fail(SPPROF_EXIT_FAILED, "cannot make a %s profile: %s", o->format->name,
			    strerror(-err));
	own_name(r, name, sizeof(name));
	err = output_file_commit(file, name, &out);
	if (err)
		return fail(SPPROF_EXIT_FAILED, "cannot write to %s: %s",
			    o->output ? o->output : name, strerror(-err));
	if (!o->output || strcmp(o->output, "-"))
		tell(o->output ? o->output : name, p);
	return 0;
}

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
	int err = child_start(&child, r->options->command, mask);

	if (err)
		return fail(SPPROF_EXIT_FAILED, "cannot start a process: %s", strerror(-err));
	r->child = &child;
	err = run(r, file);
	recording_wait_child(r);
	return err ? err : child_exit_code(&child);
}

int cli_record(const struct cli_options *o)
{
	OWNS(output_file) struct output_file file = { .fd = -1 };
	OWNS_FD int signals = -1;
	struct recording r = { .options = o };
	sigset_t before;
	int err = output_file_open(&file, o->output);

	if (err)
		return fail(SPPROF_EXIT_FAILED,
			    "cannot write to %s: %s; name another place with --output",
			    o->output ? o->output : "the current folder", strerror(-err));
	signals = open_signals(&before);
	if (signals < 0)
		return fail(SPPROF_EXIT_FAILED, "cannot wait for signals: %s", strerror(-signals));
	r.signals = signals;
	return o->command ? run_with_child(&r, &file, &before) : run(&r, &file);
}
