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
#include "cli/tree_source.h"
#include "cli/tree_view.h"

#include <errno.h>
#include <locale.h>
#include <string.h>
#include <sys/ioctl.h>

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

static struct tree_screen screen_of_stdout(void)
{
	const char *no_colour = getenv("NO_COLOR");
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return (struct tree_screen){ 0 };
	setlocale(LC_CTYPE, "");
	return (struct tree_screen){ size.ws_col, !no_colour || !*no_colour };
}

static int print(const struct cli_options *o, const struct tree_view *v)
{
	OWNS(buffer) struct buffer out = { 0 };
	struct tree_screen screen = screen_of_stdout();
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

static int show(const struct cli_options *o, const struct tree_source *source,
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

int cli_tree(const struct cli_options *o)
{
	struct tree_source source = { 0 };
	int err = apply_transforms(NULL, &o->tree);

	if (!err)
		err = tree_source_read(o, &source);
	if (err)
		return err;

	OWNS(profile) struct profile *owned = source.profile;
	OWNS(tree_groups) struct tree_groups groups = { 0 };

	if (tree_groups_make(owned, o->tree.by, &groups))
		return no_memory();

	const struct tree_fill fill = { .group_of = groups.of };
	OWNS(history) struct history *h = history_new(owned, &fill);

	if (!h)
		return no_memory();
	err = apply_transforms(h, &o->tree);
	return err ? err : show(o, &source, &groups, h);
}
