/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/hierarchy_columns.h"

#include <errno.h>

int hierarchy_columns_entries(struct hierarchy_parts *parts, const struct profile_pruned *pruned)
{
	uint32_t entry;
	int err = 0;

	for (uint32_t i = 0; i < pruned->count && !err; i++)
		err = hierarchy_parts_entry(parts, pruned->entries[i].symbol, &entry);
	return err;
}

static void add_column(int64_t *sum, int64_t column)
{
	if (column < 0)
		return;
	if (*sum < 0)
		*sum = 0;
	weight_add(sum, column);
}

/* Children into @t: entries, below them commands, below these objects. */
static int add_line(struct hierarchy_tree *t, uint32_t entry, const struct pruned_entry *line)
{
	uint32_t row;
	int err = hierarchy_tree_add(t, TREE_NONE, entry, 0, &row);

	if (!err)
		err = hierarchy_tree_add(t, row, line->comm, 0, &row);
	return err ? err : hierarchy_tree_add(t, row, line->object, line->children, &row);
}

/* The largest of a command's objects, the sum of an entry's commands. */
static void add_up_lines(struct hierarchy_tree *t, struct hierarchy_column *columns)
{
	for (uint32_t i = t->rows.count; i-- > 0;) {
		uint32_t above = hierarchy_tree_parent(t, i);

		if (above == TREE_NONE)
			columns[hierarchy_tree_number(t, i)].least_children = t->weights[i];
		else if (hierarchy_tree_parent(t, above) == TREE_NONE)
			weight_add(&t->weights[above], t->weights[i]);
		else if (t->weights[above] < t->weights[i])
			t->weights[above] = t->weights[i];
	}
}

static int read_lines(const struct hierarchy_parts *parts, const struct profile_pruned *pruned,
		      struct hierarchy_tree *t, struct hierarchy_column *columns)
{
	int err = 0;

	for (uint32_t i = 0; i < pruned->count && !err; i++) {
		const struct pruned_entry *line = &pruned->entries[i];
		uint32_t entry = parts->entry_of[line->symbol];

		if (entry == HIERARCHY_NONE)
			continue;
		add_column(&columns[entry].most_children, line->children);
		add_column(&columns[entry].self, line->self);
		columns[entry].lines++;
		if (line->children >= 0)
			err = add_line(t, entry, line);
	}
	return err;
}

/* Numbers that were rounded up can be more than all in sum. */
static void limit_column(struct hierarchy_column *c, int64_t total)
{
	if (c->least_children > total)
		c->least_children = total;
	if (c->most_children > total)
		c->most_children = total;
	if (c->self > total)
		c->self = total;
}

int hierarchy_columns_read(const struct hierarchy_parts *parts, const struct profile_pruned *pruned,
			   struct hierarchy_column **columns)
{
	uint32_t count = parts->made.entry_count;
	OWNS(hierarchy_tree) struct hierarchy_tree t = { 0 };
	int err;

	hierarchy_tree_init(&t);
	*columns = malloc((count + 1ul) * sizeof(**columns));
	if (!*columns)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		(*columns)[i] = (struct hierarchy_column){ -1, -1, -1, 0 };
	err = read_lines(parts, pruned, &t, *columns);
	if (!err)
		add_up_lines(&t, *columns);
	for (uint32_t i = 0; i < count && !err; i++)
		limit_column(&(*columns)[i], pruned->total);
	return err;
}

/* How far off children can be; or if there are @others, which may call it at any time, all. */
static double column_error(const struct hierarchy_entry *e, const struct hierarchy_column *c,
			   const struct profile_pruned *pruned, bool others)
{
	double most = c->most_children < 0 ? pruned->total : c->most_children;

	if (most < e->children)
		most = e->children;
	return (others ? most : most - e->children) + pruned->half_digit * c->lines;
}

int hierarchy_of_columns(struct hierarchy_parts *parts, const struct profile_pruned *pruned)
{
	OWNS_MEM struct hierarchy_column *columns = NULL;
	struct hierarchy *h = &parts->made;
	double error = 0;
	uint32_t row;
	int err = hierarchy_columns_entries(parts, pruned);

	if (!err)
		err = hierarchy_columns_read(parts, pruned, &columns);
	for (uint32_t i = 0; i < h->entry_count && !err; i++) {
		struct hierarchy_entry *e = &h->entries[i];
		const struct hierarchy_column *c = &columns[i];
		double off;

		e->self = c->self < 0 ? 0 : c->self;
		e->children = c->least_children < e->self ? e->self : c->least_children;
		e->adjusted = e->children;
		off = column_error(e, c, pruned, h->entry_count > 1);
		error = off > error ? off : error;
		err = hierarchy_tree_add(&parts->paths, TREE_NONE, i, e->adjusted, &row);
	}
	h->total = pruned->total;
	h->error_pct = h->total > 0 ? 100 * error / h->total : 100;
	h->error_pct = h->error_pct > 100 ? 100 : h->error_pct;
	return err;
}
