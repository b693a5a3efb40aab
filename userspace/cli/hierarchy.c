/* SPDX-License-Identifier: Apache-2.0 */
/* spprofctl hierarchy: how functions of interest call each other, and what each costs. */
#include "cli/cli.h"

#include "cli/fail.h"
#include "cli/hierarchy_view.h"
#include "cli/input_file.h"
#include "cli/output.h"
#include "cli/targets.h"
#include "import/reason.h"

#include <errno.h>
#include <string.h>

#define REASONS_MOST 3

/* What is looked for, and what was found. */
struct search {
	const struct cli_options *options;
	struct targets *targets;
	struct shares *shares;
	struct hierarchy_about *about;
};

static int no_memory(void)
{
	return fail(SPPROF_EXIT_FAILED, "out of memory");
}

static int fail_usage(int err, const char *where, const struct buffer *why)
{
	if (err == -ENOMEM)
		return no_memory();
	return fail(SPPROF_EXIT_USAGE, "hierarchy: %s%s%s", where ? where : "", where ? ": " : "",
		    why->len ? why->data : strerror(-err));
}

static int add_file(struct targets *t, const char *name)
{
	OWNS(input_file) struct input_file file = { 0 };
	OWNS(buffer) struct buffer why = { 0 };
	int err = input_file_open(&file, name, &why);

	if (err)
		return fail(SPPROF_EXIT_FAILED, "cannot read %s: %s", source_name(name),
			    why.len ? why.data : "out of memory");
	err = targets_add_lines(t, file.bytes, file.len, &why);
	return err ? fail_usage(err, source_name(name), &why) : 0;
}

static int add_list(struct targets *t, const char *list)
{
	OWNS(buffer) struct buffer why = { 0 };
	int err = targets_add(t, list, &why);

	return err ? fail_usage(err, NULL, &why) : 0;
}

static int read_targets(struct targets *t, const struct cli_hierarchy *o)
{
	int err = 0;

	for (unsigned int i = 0; !err && i < o->list_count; i++)
		err = o->lists[i].is_file ? add_file(t, o->lists[i].text)
					  : add_list(t, o->lists[i].text);
	if (!err && !targets_count(t))
		return fail(SPPROF_EXIT_USAGE, "hierarchy: there is no target in the file");
	return err;
}

/* @name: as above; NULL: of live processes. */
static int add_source(struct search *s, const char *name, const struct source *source)
{
	OWNS(hierarchy) struct hierarchy h = { 0 };
	OWNS(buffer) struct buffer why = { 0 };
	OWNS_MEM bool *is_target = NULL;
	int err =
		targets_match(s->targets, source->profile, source->facts.pruned, &is_target, &why);

	if (err)
		return fail_usage(err, NULL, &why);
	err = hierarchy_make(source->profile, source->facts.pruned, is_target, &h);
	if (err == -ENOTSUP)
		return fail(SPPROF_EXIT_FAILED,
			    "cannot read %s: rounding alone may put its shares off by more than "
			    "1.5 points: have it written by `%s`",
			    name, IMPORT_LOSSLESS_COMMAND);
	if (!err)
		err = shares_add(s->shares, source->profile, &h);
	if (!err)
		err = hierarchy_about_add(s->about, name, source, &h);
	return err ? no_memory() : 0;
}

static int read_file(struct search *s, const char *name)
{
	struct import_request request = source_request(&s->options->input);
	OWNS(source) struct source source = { 0 };
	int err;

	request.is_first_event = true; /* the shares of several would be of nothing */
	request.is_as_printed = true;
	err = source_read_file(name, &request, &source);
	return err ? err : add_source(s, source_name(name), &source);
}

static int read_live(struct search *s)
{
	OWNS(source) struct source source = { 0 };
	int err = source_read_live(s->options, &source);

	return err ? err : add_source(s, NULL, &source);
}

static int read_sources(struct search *s)
{
	const struct cli_input *in = &s->options->input;
	int err = in->count ? 0 : read_live(s);

	for (unsigned int i = 0; !err && i < in->count; i++)
		err = read_file(s, in->names[i]);
	return err;
}

/* The first few warnings, which may say why nothing matches: an object has no symbols, … */
static void add_reasons(const struct buffer *warnings, struct buffer *line)
{
	const char *at = warnings->len ? warnings->data : "";

	for (int i = 0; *at && i < REASONS_MOST; i++) {
		int len = strcspn(at, "\n");

		buffer_print(line, "; %.*s", len, at);
		at += len + (at[len] == '\n');
	}
}

static int fail_no_match(const struct targets *t, const struct hierarchy_about *about)
{
	OWNS(buffer) struct buffer unmatched = { 0 };

	targets_warn(t, "; ", &unmatched);
	add_reasons(&about->warnings, &unmatched);
	if (buffer_error(&unmatched))
		return no_memory();
	return fail(SPPROF_EXIT_NO_TARGET, "hierarchy: %s", unmatched.data);
}

static int print(const struct search *s)
{
	const struct cli_options *o = s->options;
	const struct screen screen = screen_of_stdout();
	OWNS(buffer) struct buffer out = { 0 };
	int err;

	if (o->as_json) {
		err = hierarchy_json_add(s->shares, s->about, &out);
	} else {
		fail_lines(NULL, &s->about->warnings);
		err = hierarchy_text_add(s->shares, &screen, &out);
		if (!err && o->hierarchy.explains)
			err = hierarchy_explain_add(s->shares, &out);
	}
	return err ? no_memory() : output_print(&out);
}

static int show(struct search *s)
{
	OWNS(buffer) struct buffer unmatched = { 0 };
	bool by_self = s->options->hierarchy.by_self;

	if (!targets_have_match(s->targets))
		return fail_no_match(s->targets, s->about);
	targets_warn(s->targets, "\n", &unmatched);
	hierarchy_about_warn(s->about, NULL, &unmatched);
	if (buffer_error(&unmatched) || buffer_error(&s->about->warnings) ||
	    shares_finish(s->shares, by_self ? SHARES_BY_SELF : SHARES_BY_CHILDREN))
		return no_memory();
	return print(s);
}

int cli_hierarchy(const struct cli_options *o)
{
	OWNS(targets) struct targets *t = targets_new();
	OWNS(shares) struct shares shares = { 0 };
	OWNS(hierarchy_about) struct hierarchy_about about = { 0 };
	struct search s = { .options = o, .targets = t, .shares = &shares, .about = &about };
	int err = t ? read_targets(t, &o->hierarchy) : no_memory();

	if (!err)
		err = read_sources(&s);
	return err ? err : show(&s);
}
