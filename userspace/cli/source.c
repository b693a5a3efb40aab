/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/source.h"

#include "cli/fail.h"
#include "cli/input_file.h"
#include "cli/recording.h"
#include "cli/selection.h"
#include "cli/signals.h"
#include "import/pprof.h"

#include <errno.h>
#include <string.h>

#define WINDOW_S 10 /* of the past, as snapshot and top have it */

void source_fini(struct source *s)
{
	profile_free(s->profile);
	import_facts_fini(&s->facts);
	buffer_fini(&s->warnings);
	*s = (struct source){ 0 };
}

const char *source_name(const char *name)
{
	return strcmp(name, "-") ? name : "standard input";
}

struct import_request source_request(const struct cli_input *in)
{
	return (struct import_request){
		.event = in->event,
		.order = in->order,
		.symfs = in->symfs,
	};
}

static void warn_chains(struct source *s)
{
	const struct profile_pruned *pruned = s->facts.pruned;

	if (s->facts.has_chains && (!pruned || pruned->has_chains))
		return;
	buffer_print(&s->warnings, "%sit has no call graphs: nothing is known of who called whom",
		     s->warnings.len ? "\n" : "");
}

static int fail_import(int err, const char *name, const struct buffer *why)
{
	return fail(err == -ENOENT ? SPPROF_EXIT_USAGE : SPPROF_EXIT_FAILED,
		    "cannot read %s as a profile: %s", name, why->len ? why->data : strerror(-err));
}

int source_read_file(const char *name, const struct import_request *request, struct source *out)
{
	OWNS(source) struct source s = { .profile = profile_new() };
	OWNS(input_file) struct input_file file = { 0 };
	struct import_request asked = *request;
	int err = s.profile ? input_file_open(&file, name, &s.warnings) : -ENOMEM;

	name = source_name(name);
	if (err)
		return fail(SPPROF_EXIT_FAILED, "cannot read %s: %s", name,
			    s.warnings.len ? s.warnings.data : "out of memory");
	asked.passed = input_file_passed;
	asked.passed_arg = &file;
	err = import_profile(file.bytes, file.len, &asked, s.profile, &s.facts, &s.warnings);
	if (err)
		return fail_import(err, name, &s.warnings);
	warn_chains(&s);
	if (buffer_error(&s.warnings))
		return fail(SPPROF_EXIT_FAILED, "out of memory");
	s.format = import_kind_name(s.facts.kind);
	*out = s;
	s = (struct source){ 0 };
	return 0;
}

/* What spprofd answers, with r->query set. */
static int ask(struct recording *r, struct source *out)
{
	OWNS(control_reply) struct control_reply reply = { 0 };
	int err = recording_run(r, &reply);
	struct profile *p;

	if (err)
		return fail_call(err, r->options->socket);
	err = fail_reply(&reply);
	if (err)
		return err;
	p = import_pprof(reply.body.data, reply.body.len, &err);
	if (!p)
		return fail(SPPROF_EXIT_FAILED, "cannot read the profile that spprofd sent: %s",
			    strerror(-err));
	*out = (struct source){
		.profile = p,
		.format = "live",
		.facts = { .event = -1, .has_chains = true },
	};
	return 0;
}

int source_read_live(const struct cli_options *o, struct source *out)
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
