/* SPDX-License-Identifier: Apache-2.0 */
/* spprofctl tree: the call tree of a live process or of a profile, transformed and filtered. */
#include "cli/cli.h"

#include "calltree/history.h"
#include "calltree/search.h"
#include "calltree/stacks_profile.h"
#include "calltree/transform_text.h"
#include "cli/fail.h"
#include "cli/output.h"
#include "cli/output_file.h"
#include "cli/profile_file.h"
#include "cli/source.h"
#include "cli/tree_view.h"
#include "import/reason.h"

#include <errno.h>
#include <string.h>

static int no_memory(void)
{
	return fail(SPPROF_EXIT_FAILED, "out of memory");
}

/* The first line of @why is the error; candidates, a line each, follow as they are. */
static int fail_transform(int err, struct buffer *why)
{
	char *rest = why->data ? strchr(why->data, '\n') : NULL;

	if (err == -ENOMEM || !why->data)
		return no_memory();
	if (rest)
		*rest++ = '\0';
	fail(0, "tree: %s", why->data);
	if (rest && *rest)
		fprintf(stderr, "%s%s", rest, rest[strlen(rest) - 1] == '\n' ? "" : "\n");
	return err == -ENOENT ? SPPROF_EXIT_NO_TARGET : SPPROF_EXIT_USAGE;
}

static int push(struct history *h, const char *text, struct buffer *why)
{
	OWNS(transform) struct transform t = { 0 };
	int err = transform_parse(text, strlen(text), &t, why);

	return err || !h ? err : history_push(h, &t, TRANSFORM_MUST_MATCH, why);
}

/* Reads all transforms; and applies them unless @h is NULL. */
static int apply_transforms(struct history *h, const struct cli_tree *o)
{
	for (unsigned int i = 0; i < o->transform_count; i++) {
		OWNS(buffer) struct buffer why = { 0 };
		int err = push(h, o->transforms[i], &why);

		if (err)
			return fail_transform(err, &why);
	}
	return 0;
}

/* By implementation, then by search: 0 and *@out, or -ENOMEM. */
static int filter(const struct tree_stacks *in, const struct cli_tree *o, struct tree_stacks *out)
{
	OWNS(tree_stacks) struct tree_stacks kept = { 0 };
	int err = tree_implementation_filter(in, o->implementation, &kept);

	if (!err && o->search)
		return tree_search(&kept, o->search, out);
	*out = kept;
	kept = (struct tree_stacks){ 0 };
	return err;
}

static int print(const struct cli_options *o, const struct tree_view *v)
{
	OWNS(buffer) struct buffer out = { 0 };
	struct screen screen = screen_of_stdout();
	int err = o->as_json ? tree_json_add(v, &out) : tree_text_add(v, &screen, &out);

	return err ? no_memory() : output_print(&out);
}

/* What is shown, as a profile in the format asked for. */
static int write_profile(const struct cli_options *o, const struct tree_view *v)
{
	OWNS(profile) struct profile *p = NULL;
	OWNS(output_file) struct output_file file = { .fd = -1 };
	OWNS(buffer) struct buffer pprof = { 0 };
	int err = output_file_open(&file, o->output);

	if (err)
		return fail(SPPROF_EXIT_FAILED,
			    "cannot write to %s: %s; name another place with --output",
			    o->output ? o->output : "the current folder", strerror(-err));
	err = tree_stacks_profile(v->stacks, v->profile, v->groups->threads, &p);
	if (!err && o->format == &export_pprof)
		err = export_pprof.write(p, &o->shape, &pprof);
	return err ? no_memory() : profile_file_write(o, p, &pprof, "tree", &file);
}

static int show(const struct cli_options *o, const struct source *source,
		const struct tree_groups *groups, const struct history *h)
{
	OWNS(tree_stacks) struct tree_stacks shown = { 0 };
	struct tree_view v = { .options = &o->tree,
			       .format = source->format,
			       .profile = source->profile,
			       .groups = groups,
			       .stacks = &shown,
			       .total = tree_stacks_total(history_first_stacks(h)) };

	if (filter(history_stacks(h), &o->tree, &shown))
		return no_memory();
	return o->format ? write_profile(o, &v) : print(o, &v);
}

/* A tree is of whole stacks, so that a report that lacks some cannot be one. */
static int check_whole(const struct source *source, const char *name)
{
	if (!source->facts.pruned)
		return 0;
	return fail(
		SPPROF_EXIT_FAILED,
		"cannot read %s as a profile: the report leaves out parts of the call graphs; "
		"`spprofctl hierarchy` reads what there is, and all of it is in what `%s` prints",
		name, IMPORT_LOSSLESS_COMMAND);
}

static int read_file(const struct cli_options *o, struct source *out)
{
	const struct import_request request = source_request(&o->input);
	const char *name = source_name(o->input.names[0]);
	int err = source_read_file(o->input.names[0], &request, out);

	if (err)
		return err;
	err = check_whole(out, name);
	if (!err)
		fail_lines(name, &out->warnings);
	return err;
}

static int show_source(const struct cli_options *o, const struct source *source)
{
	OWNS(tree_groups) struct tree_groups groups = { 0 };

	if (tree_groups_make(source->profile, o->tree.by, &groups))
		return no_memory();

	const struct tree_fill fill = { .group_of = groups.of };
	OWNS(history) struct history *h = history_new(source->profile, &fill);
	int err = h ? apply_transforms(h, &o->tree) : no_memory();

	return err ? err : show(o, source, &groups, h);
}

int cli_tree(const struct cli_options *o)
{
	OWNS(source) struct source source = { 0 };
	int err = apply_transforms(NULL, &o->tree);

	if (!err)
		err = o->input.count ? read_file(o, &source) : source_read_live(o, &source);
	return err ? err : show_source(o, &source);
}
