/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/tree_source.h"

#include "cli/fail.h"
#include "cli/recording.h"
#include "cli/selection.h"
#include "cli/signals.h"
#include "import/import.h"
#include "import/pprof.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define WINDOW_S 10 /* of the past, as snapshot and top have it */
#define READ_BYTES (1 << 20)

/* All of @fd. 0 or -errno. */
static int read_all(int fd, struct buffer *out)
{
	OWNS_MEM char *bytes = malloc(READ_BYTES);
	ssize_t got = bytes ? 0 : -1;

	while (bytes && (got = read(fd, bytes, READ_BYTES)) > 0)
		buffer_add(out, bytes, got);
	if (got < 0)
		return bytes ? -errno : -ENOMEM;
	return buffer_error(out);
}

static int read_input(const char *name, struct buffer *out)
{
	OWNS_FD int file = -1;

	if (!strcmp(name, "-"))
		return read_all(STDIN_FILENO, out);
	file = open(name, O_RDONLY | O_CLOEXEC);
	return file < 0 ? -errno : read_all(file, out);
}

static int from_file(const struct cli_options *o, struct tree_source *out)
{
	const char *name = strcmp(o->tree.input, "-") ? o->tree.input : "standard input";
	OWNS(buffer) struct buffer bytes = { 0 }, why = { 0 };
	OWNS(profile) struct profile *p = profile_new();
	enum import_kind kind;
	int err = p ? read_input(o->tree.input, &bytes) : -ENOMEM;

	if (err)
		return fail(SPPROF_EXIT_FAILED, "cannot read %s: %s", name, strerror(-err));
	err = import_profile(bytes.data ? bytes.data : "", bytes.len, p, &kind, &why);
	if (err)
		return fail(SPPROF_EXIT_FAILED, "cannot read %s as a profile: %s", name,
			    why.data ? why.data : strerror(-err));
	if (why.len)
		fail(0, "%s: %s", name, why.data);
	*out = (struct tree_source){ TAKE(p), import_kind_name(kind) };
	return 0;
}

/* What spprofd answers, with r->query set. */
static int ask(struct recording *r, struct tree_source *out)
{
	OWNS(control_reply) struct control_reply reply = { 0 };
	int err = recording_run(r, &reply);

	if (err)
		return fail_call(err, r->options->socket);
	err = fail_reply(&reply);
	if (err)
		return err;
	out->profile = import_pprof(reply.body.data, reply.body.len, &err);
	out->format = "live";
	return out->profile ? 0
			    : fail(SPPROF_EXIT_FAILED,
				   "cannot read the profile that spprofd sent: %s", strerror(-err));
}

static int from_daemon(const struct cli_options *o, struct tree_source *out)
{
	OWNS(buffer) struct buffer query = { 0 };
	OWNS_FD int signals = -1;
	struct cli_options asked = *o;
	struct recording r = { .options = &asked };
	sigset_t before;
	int err = selection_query(o, &query);

	if (err)
		return err;
	if (buffer_error(&query))
		return fail(SPPROF_EXIT_FAILED, "out of memory");
	if (o->seconds <= 0 && o->last <= 0)
		asked.recent = WINDOW_S;
	signals = signals_open(0, &before);
	if (signals < 0)
		return fail(SPPROF_EXIT_FAILED, "cannot wait for signals: %s", strerror(-signals));
	r.signals = signals;
	r.query = query.data;
	return ask(&r, out);
}

int tree_source_read(const struct cli_options *o, struct tree_source *out)
{
	return o->tree.input ? from_file(o, out) : from_daemon(o, out);
}
