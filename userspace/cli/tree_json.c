/* SPDX-License-Identifier: Apache-2.0 */
/* A call tree as JSON, written as it is walked: of any depth, and larger than a tree in memory. */
#include "cli/tree_view.h"

#include "base/utf8.h"
#include "calltree/walk.h"
#include "export/json_text.h"
#include "profile/weight.h"

#include <errno.h>
#include <string.h>

static void add_string(struct buffer *out, const char *text, size_t len)
{
	buffer_add_text(out, "\"");
	json_add_text(out, text, len);
	buffer_add_text(out, "\"");
}

static void add_member(struct buffer *out, const char *name, int64_t weight, uint32_t decimals)
{
	buffer_print(out, "\"%s\":", name);
	weight_print(out, weight, decimals);
	buffer_add_text(out, ",");
}

/* Everything of a node up to its children. */
static void open_node(const struct tree_view *v, const struct walk_line *line, struct buffer *out)
{
	const struct tree_functions *fs = v->stacks->functions;
	const struct tree_function *f = tree_function(fs, line->function);
	const char *file = tree_functions_text(fs, f->file);
	const char *name = tree_function_name(fs, line->function);
	uint32_t decimals = profile_about_get(v->profile)->decimals;

	buffer_add_text(out, "{\"function\":");
	add_string(out, name, strlen(name));
	buffer_add_text(out, ",\"file\":");
	if (*file)
		add_string(out, file, strlen(file));
	else
		buffer_add_text(out, "null");
	buffer_print(out, ",\"kind\":\"%s\",", profile_kind_name(f->kind));
	add_member(out, "running", line->running, decimals);
	add_member(out, "self", line->self, decimals);
	buffer_add_text(out, "\"children\":[");
}

static void close_nodes(uint32_t count, struct buffer *out)
{
	while (count--)
		buffer_add_text(out, "]}");
}

static int add_roots(const struct tree_view *v, const struct tree_nodes *n, struct buffer *out)
{
	enum walk_direction way = v->options->is_inverted ? WALK_FROM_LEAF : WALK_FROM_ROOT;
	OWNS(walk) struct walk *w = walk_new(n, way);
	uint32_t open = 0;
	struct walk_line line;
	int got = w ? 0 : -ENOMEM;

	buffer_add_text(out, "\"roots\":[");
	for (bool is_first = true; w && (got = walk_next(w, &line)) > 0;) {
		if (!tree_view_shows(v, line.running, n->root_total)) {
			walk_skip(w);
			continue;
		}
		close_nodes(open - line.depth, out);
		if (!is_first && line.depth < open)
			buffer_add_text(out, ",");
		open_node(v, &line, out);
		open = line.depth + 1;
		is_first = false;
	}
	close_nodes(open, out);
	buffer_add_text(out, "]");
	return got;
}

static int add_tree(const struct tree_view *v, uint32_t group, int64_t *root_total,
		    struct buffer *out)
{
	OWNS(buffer) struct buffer name = { 0 };
	OWNS(tree_nodes) struct tree_nodes n = { 0 };
	int err = tree_nodes_make(v->stacks, group, &n);

	if (err)
		return err;
	tree_groups_add_name(v->groups, v->profile, group, &name);
	if (buffer_error(&name))
		return -ENOMEM;
	buffer_print(out, "%s{\"name\":", group ? "," : "");
	add_string(out, name.data, name.len);
	buffer_add_text(out, ",");
	err = add_roots(v, &n, out);
	buffer_add_text(out, "}");
	weight_add(root_total, n.root_total);
	return err;
}

static void add_transforms(const struct tree_view *v, struct buffer *out)
{
	buffer_add_text(out, "\"transforms\":[");
	for (unsigned int i = 0; i < v->options->transform_count; i++) {
		OWNS(buffer) struct buffer text = { 0 };
		const char *given = v->options->transforms[i];

		utf8_repair(&text, given, strlen(given));
		buffer_add_text(out, i ? "," : "");
		add_string(out, text.data ? text.data : "", text.len);
	}
	buffer_add_text(out, "]");
}

int tree_json_add(const struct tree_view *v, struct buffer *out)
{
	const struct profile_about *about = profile_about_get(v->profile);
	const char *unit = profile_string(v->profile, about->unit);
	OWNS(buffer) struct buffer trees = { 0 };
	int64_t root_total = 0;
	int err = 0;

	for (uint32_t i = 0; !err && i < v->groups->count; i++)
		err = add_tree(v, i, &root_total, &trees);
	if (err || buffer_error(&trees))
		return -ENOMEM;
	buffer_print(out, "{\"format\":\"%s\",\"unit\":", v->format);
	add_string(out, unit, strlen(unit));
	buffer_add_text(out, ",");
	add_member(out, "total", v->total, about->decimals);
	add_member(out, "removed", v->stacks->removed, about->decimals);
	add_member(out, "root_total", root_total, about->decimals);
	add_transforms(v, out);
	buffer_print(out, ",\"implementation\":\"%s\",\"inverted\":%s,\"trees\":[",
		     tree_implementation_name(v->options->implementation),
		     v->options->is_inverted ? "true" : "false");
	buffer_add(out, trees.data ? trees.data : "", trees.len);
	buffer_add_text(out, "]}\n");
	return buffer_error(out);
}
