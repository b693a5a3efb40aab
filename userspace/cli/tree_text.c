/* SPDX-License-Identifier: Apache-2.0 */
/* A call tree as lines of text, harmless for a terminal. */
#include "cli/tree_view.h"

#include "base/utf8.h"
#include "calltree/walk.h"
#include "profile/weight.h"

#include <errno.h>
#include <string.h>

#define INDENT 2
#define INDENT_MOST 64 /* levels: what is deeper is told by its number */
#define NAME_COLUMN 36 /* where names begin: the numbers' width */

static void add_time(struct buffer *out, int64_t ns)
{
	double size = ns < 0 ? -(double)ns : ns;

	if (size >= 1e9)
		buffer_print(out, "%10.3f s ", ns / 1e9);
	else if (size >= 1e6)
		buffer_print(out, "%10.3f ms", ns / 1e6);
	else
		buffer_print(out, "%10.3f us", ns / 1e3);
}

/* Right-aligned, with its unit where it has a short one. */
static void add_weight(const struct tree_view *v, int64_t weight, struct buffer *out)
{
	const struct profile_about *about = profile_about_get(v->profile);
	OWNS(buffer) struct buffer digits = { 0 };

	if (!about->decimals && !strcmp(profile_string(v->profile, about->unit), "nanoseconds"))
		return add_time(out, weight);
	weight_print(&digits, weight, about->decimals);
	buffer_print(out, "%13s", digits.data ? digits.data : "");
}

/* "name (file)", visible. */
static void add_whole_name(const struct tree_view *v, uint32_t function, struct buffer *out)
{
	const struct tree_functions *fs = v->stacks->functions;
	const char *file = tree_functions_text(fs, tree_function(fs, function)->file);

	utf8_add_visible(out, tree_function_name(fs, function));
	if (!*file)
		return;
	buffer_add_text(out, " (");
	utf8_add_visible(out, file);
	buffer_add_text(out, ")");
}

static void add_name(const struct tree_view *v, const struct screen *screen,
		     const struct walk_line *line, struct buffer *out)
{
	enum profile_kind kind = tree_function(v->stacks->functions, line->function)->kind;
	uint32_t levels = line->depth < INDENT_MOST ? line->depth : INDENT_MOST;
	int indent = levels * INDENT;
	OWNS(buffer) struct buffer name = { 0 };

	buffer_print(out, "%*s", indent, "");
	if (line->depth > INDENT_MOST)
		buffer_print(&name, "[%u] ", line->depth);
	add_whole_name(v, line->function, &name);
	screen_add_name(screen, name.data ? name.data : "", kind, NAME_COLUMN + indent, out);
}

static int add_lines(const struct tree_view *v, const struct screen *screen,
		     const struct tree_nodes *n, struct buffer *out)
{
	enum walk_direction way = v->options->is_inverted ? WALK_FROM_LEAF : WALK_FROM_ROOT;
	OWNS(walk) struct walk *w = walk_new(n, way);
	uint64_t left_out = 0;
	struct walk_line line;
	int got = w ? 0 : -ENOMEM;

	while (w && (got = walk_next(w, &line)) > 0) {
		if (!tree_view_shows(v, line.running, n->root_total)) {
			walk_skip(w);
			left_out++;
			continue;
		}
		add_weight(v, line.running, out);
		add_weight(v, line.self, out);
		buffer_print(out, " %6.2f%%  ",
			     n->root_total ? 100.0 * line.running / n->root_total : 0.0);
		add_name(v, screen, &line, out);
	}
	if (left_out)
		buffer_print(out, "(%lu branches below %g %% are left out)\n", left_out,
			     v->options->min_percent);
	return got;
}

static int add_tree(const struct tree_view *v, const struct screen *screen, uint32_t group,
		    struct buffer *out)
{
	OWNS(buffer) struct buffer name = { 0 };
	OWNS(tree_nodes) struct tree_nodes n = { 0 };
	int err = tree_nodes_make(v->stacks, group, &n);

	if (err || (!n.root_count && v->groups->count > 1))
		return err;
	if (v->groups->by != TREE_BY_NONE) {
		tree_groups_add_name(v->groups, v->profile, group, &name);
		buffer_add_text(out, out->len ? "\n" : "");
		utf8_add_visible(out, name.data ? name.data : "");
		buffer_add_text(out, "\n");
	}
	buffer_add_text(out, "      running         self    share  function (file)\n");
	return add_lines(v, screen, &n, out);
}

static void add_removed(const struct tree_view *v, struct buffer *out)
{
	if (!v->stacks->removed)
		return;
	buffer_add_text(out, "removed by transforms and filters:");
	add_weight(v, v->stacks->removed, out);
	buffer_print(out, " of");
	add_weight(v, v->total, out);
	buffer_print(out, " (%.2f %%)\n", v->total ? 100.0 * v->stacks->removed / v->total : 0.0);
}

int tree_text_add(const struct tree_view *v, const struct screen *screen, struct buffer *out)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < v->groups->count; i++)
		err = add_tree(v, screen, i, out);
	add_removed(v, out);
	return err ? err : buffer_error(out);
}
