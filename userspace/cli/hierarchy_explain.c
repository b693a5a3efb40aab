/* SPDX-License-Identifier: Apache-2.0 */
/* How each number of the hierarchy came about: the paths of calls, and their factors. */
#include "cli/hierarchy_view.h"

#include "base/utf8.h"

#include <errno.h>

/* By callee and then by caller: relations, and the nodes that have a parent. */
struct explained {
	const struct shares *shares;
	uint32_t *relations, *nodes;
	uint32_t node_count;
	uint32_t relation, node; /* the next to be told */
};

static int by_number(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_relations(const void *one, const void *two, void *arg)
{
	const struct share_relation *rows = ((const struct shares *)arg)->relations;
	uint32_t i = *(const uint32_t *)one, j = *(const uint32_t *)two;
	int differs = by_number(rows[i].callee, rows[j].callee);

	return differs ? differs : by_number(rows[i].caller, rows[j].caller);
}

static uint32_t caller_of(const struct shares *s, uint32_t node)
{
	return s->nodes[s->nodes[node].parent].entry;
}

static int compare_nodes(const void *one, const void *two, void *arg)
{
	const struct shares *s = arg;
	uint32_t i = *(const uint32_t *)one, j = *(const uint32_t *)two;
	int differs = by_number(s->nodes[i].entry, s->nodes[j].entry);

	if (!differs)
		differs = by_number(caller_of(s, i), caller_of(s, j));
	return differs ? differs : by_number(i, j);
}

static void sort(struct explained *e)
{
	const struct shares *s = e->shares;

	for (uint32_t i = 0; i < s->relation_count; i++)
		e->relations[i] = i;
	for (uint32_t i = 0; i < s->node_count; i++)
		if (s->nodes[i].parent != SHARES_NONE)
			e->nodes[e->node_count++] = i;
	qsort_r(e->relations, s->relation_count, sizeof(*e->relations), compare_relations,
		(void *)s);
	qsort_r(e->nodes, e->node_count, sizeof(*e->nodes), compare_nodes, (void *)s);
}

static void add_name(const struct shares *s, uint32_t entry, struct buffer *out)
{
	utf8_add_visible_bytes(out, s->entries[entry].symbol, s->entries[entry].symbol_len);
}

/* Fills @path, from the root to @node. */
static uint32_t path_to(const struct shares *s, uint32_t node, uint32_t *path)
{
	uint32_t count = s->nodes[node].depth + 1;

	for (uint32_t i = count; i--; node = s->nodes[node].parent)
		path[i] = node;
	return count;
}

static int add_path(const struct shares *s, uint32_t node, struct buffer *out)
{
	OWNS_MEM uint32_t *path = calloc(s->nodes[node].depth + 1, sizeof(*path));
	uint32_t count = path ? path_to(s, node, path) : 0;

	if (!path)
		return -ENOMEM;
	buffer_add_text(out, "        ");
	for (uint32_t i = 0; i < count; i++) {
		buffer_add_text(out, i ? " > " : "");
		add_name(s, s->nodes[path[i]].entry, out);
	}
	buffer_add_text(out, ": ");
	for (uint32_t i = 0; s->profiles == 1 && i < count; i++)
		buffer_print(out, i ? " x %.2f %%" : "%.2f",
			     share_shown(s->nodes[path[i]].relative));
	buffer_print(out, "%s%.2f\n", s->profiles == 1 ? " = " : "",
		     share_shown(s->nodes[node].absolute));
	return 0;
}

/* The next relation, and the paths whose sum it is. */
static int add_relation(struct explained *e, struct buffer *out)
{
	const struct shares *s = e->shares;
	const struct share_relation *r = &s->relations[e->relations[e->relation++]];
	int err = 0;

	buffer_add_text(out, "    from ");
	add_name(s, r->caller, out);
	buffer_add_text(out, ":");
	if (s->profiles == 1)
		buffer_print(out, " %.2f x %.2f %% =", share_shown(s->entries[r->caller].children),
			     share_shown(r->relative));
	buffer_print(out, " %.2f\n", share_shown(r->absolute));
	while (!err && e->node < e->node_count && s->nodes[e->nodes[e->node]].entry == r->callee &&
	       caller_of(s, e->nodes[e->node]) == r->caller)
		err = add_path(s, e->nodes[e->node++], out);
	return err;
}

/* Whether the next relation is one into @entry. */
static bool is_next(const struct explained *e, uint32_t entry)
{
	return e->relation < e->shares->relation_count &&
	       e->shares->relations[e->relations[e->relation]].callee == entry;
}

static int add_entry(struct explained *e, uint32_t entry, struct buffer *out)
{
	const struct share_entry *row = &e->shares->entries[entry];
	OWNS(buffer) struct buffer taken = { 0 };
	int err = 0;

	buffer_add_text(out, "\n");
	add_name(e->shares, entry, out);
	buffer_print(out, "\n    original = %.2f\n", share_shown(row->children));
	while (!err && is_next(e, entry)) {
		double share = e->shares->relations[e->relations[e->relation]].absolute;

		buffer_print(&taken, " - %.2f", share_shown(share));
		err = add_relation(e, out);
	}
	if (taken.len)
		buffer_print(out, "    adjusted = %.2f%s = %.2f\n", share_shown(row->children),
			     taken.data, share_shown(row->adjusted));
	else
		buffer_print(out, "    adjusted = original: no target calls it\n");
	return err ? err : buffer_error(&taken);
}

int hierarchy_explain_add(const struct shares *s, struct buffer *out)
{
	OWNS_MEM uint32_t *relations = calloc(s->relation_count + 1, sizeof(*relations));
	OWNS_MEM uint32_t *nodes = calloc(s->node_count + 1, sizeof(*nodes));
	struct explained e = { .shares = s, .relations = relations, .nodes = nodes };
	int err = relations && nodes ? 0 : -ENOMEM;

	if (err)
		return err;
	sort(&e);
	if (s->profiles == 1)
		buffer_add_text(out,
				"\nIn percent of the total; reckoned before they are rounded.\n");
	else
		buffer_print(out, "\nIn percent of the total, each the mean over %u profiles.\n",
			     s->profiles);
	for (uint32_t i = 0; !err && i < s->entry_count; i++)
		err = add_entry(&e, i, out);
	return err ? err : buffer_error(out);
}
