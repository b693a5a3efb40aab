/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/hierarchy.h"
#include "calltree/hierarchy_parts.h"
#include "calltree/hierarchy_walk.h"

#include <errno.h>
#include <string.h>

void hierarchy_fini(struct hierarchy *h)
{
	free(h->entries);
	free(h->relations);
	free(h->nodes);
	*h = (struct hierarchy){ 0 };
}

static int parts_init(struct hierarchy_parts *parts, const struct profile *p, const bool *is_target)
{
	size_t size = profile_string_count(p) * sizeof(*parts->entry_of);

	*parts = (struct hierarchy_parts){ .profile = p, .is_target = is_target };
	hierarchy_tree_init(&parts->paths);
	hierarchy_tree_init(&parts->pairs);
	parts->entry_of = malloc(size);
	if (!parts->entry_of)
		return -ENOMEM;
	memset(parts->entry_of, 0xff, size);
	return 0;
}

static void parts_cleanup(struct hierarchy_parts *parts)
{
	free(parts->entry_of);
	hierarchy_fini(&parts->made);
	hierarchy_tree_fini(&parts->paths);
	hierarchy_tree_fini(&parts->pairs);
}

int hierarchy_parts_entry(struct hierarchy_parts *parts, profile_id symbol, uint32_t *entry)
{
	struct hierarchy *h = &parts->made;

	if (parts->is_target[symbol] && parts->entry_of[symbol] == HIERARCHY_NONE) {
		if (h->entry_count == parts->entry_room) {
			uint32_t room = parts->entry_room ? parts->entry_room * 2 : 16;
			struct hierarchy_entry *grown =
				reallocarray(h->entries, room, sizeof(*grown));

			if (!grown)
				return -ENOMEM;
			h->entries = grown;
			parts->entry_room = room;
		}
		h->entries[h->entry_count] = (struct hierarchy_entry){ .symbol = symbol };
		parts->entry_of[symbol] = h->entry_count++;
	}
	*entry = parts->entry_of[symbol];
	return 0;
}

int hierarchy_parts_pair(struct hierarchy_parts *parts, uint32_t caller, uint32_t callee,
			 int64_t weight, uint32_t *pair)
{
	uint32_t row;
	int err = hierarchy_tree_add(&parts->pairs, TREE_NONE, caller, 0, &row);

	return err ? err : hierarchy_tree_add(&parts->pairs, row, callee, weight, pair);
}

struct path_finder {
	struct hierarchy_tree *paths;
	uint32_t *path_of; /* of each entry that is on the way */
};

static int found_path(void *arg, const struct hierarchy_step *step)
{
	struct path_finder *f = arg;
	uint32_t parent = step->caller == HIERARCHY_NONE ? TREE_NONE : f->path_of[step->caller];

	return hierarchy_tree_add(f->paths, parent, step->entry, step->weight,
				  &f->path_of[step->entry]);
}

static int find_paths(struct hierarchy_parts *parts, struct hierarchy_walk *w)
{
	struct path_finder f = { .paths = &parts->paths };
	uint32_t entry;
	int err = 0;

	for (uint32_t i = 0; i < w->count && !err; i++)
		if (w->is_used[i])
			err = hierarchy_parts_entry(parts, hierarchy_walk_name(w, i), &entry);
	if (err)
		return err;
	OWNS_MEM uint32_t *path_of = malloc((parts->made.entry_count + 1ul) * sizeof(*path_of));

	if (!path_of)
		return -ENOMEM;
	f.path_of = path_of;
	return hierarchy_walk_run(w, parts->entry_of, parts->made.entry_count,
				  &(struct hierarchy_visitor){ .found = found_path, .arg = &f });
}

/* Self of entries; *@total: of all samples. */
static void add_samples(struct hierarchy_parts *parts, const struct hierarchy_walk *w,
			int64_t least, int64_t *total)
{
	uint32_t count;
	const struct profile_sample *samples = profile_samples(parts->profile, &count);

	for (uint32_t i = 0; i < count; i++) {
		int64_t weight = samples[i].weight < least ? least : samples[i].weight;
		uint32_t entry = HIERARCHY_NONE;

		if (samples[i].stack != PROFILE_NONE)
			entry = parts->entry_of[hierarchy_walk_name(w, samples[i].stack)];
		if (entry != HIERARCHY_NONE)
			weight_add(&parts->made.entries[entry].self, weight);
		weight_add(total, weight);
	}
}

/* What follows of the paths: children of entries, and relations. */
static int add_up_paths(struct hierarchy_parts *parts)
{
	const struct hierarchy_tree *t = &parts->paths;
	int err = 0;

	for (uint32_t i = 0; i < t->rows.count && !err; i++) {
		uint32_t entry = hierarchy_tree_number(t, i), parent = hierarchy_tree_parent(t, i);
		struct hierarchy_entry *e = &parts->made.entries[entry];
		uint32_t pair;

		weight_add(&e->children, t->weights[i]);
		if (parent == TREE_NONE)
			weight_add(&e->adjusted, t->weights[i]);
		else
			err = hierarchy_parts_pair(parts, hierarchy_tree_number(t, parent), entry,
						   t->weights[i], &pair);
	}
	return err;
}

static int take_relations(struct hierarchy_parts *parts)
{
	const struct hierarchy_tree *t = &parts->pairs;
	struct hierarchy *h = &parts->made;

	h->relations = malloc((t->rows.count + 1ul) * sizeof(*h->relations));
	if (!h->relations)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->rows.count; i++) {
		uint32_t parent = hierarchy_tree_parent(t, i);

		if (parent == TREE_NONE || !t->weights[i])
			continue;
		h->relations[h->relation_count++] = (struct hierarchy_relation){
			.caller = hierarchy_tree_number(t, parent),
			.callee = hierarchy_tree_number(t, i),
			.weight = t->weights[i],
		};
	}
	return 0;
}

/* But those that weigh nothing and are above nothing that does. */
static int take_nodes(struct hierarchy_parts *parts)
{
	const struct hierarchy_tree *t = &parts->paths;
	struct hierarchy *h = &parts->made;
	OWNS_MEM uint32_t *node_of = calloc(t->rows.count + 1ul, sizeof(*node_of)); /* 1: kept */

	h->nodes = malloc((t->rows.count + 1ul) * sizeof(*h->nodes));
	if (!node_of || !h->nodes)
		return -ENOMEM;
	for (uint32_t i = t->rows.count; i-- > 0;) {
		node_of[i] |= t->weights[i] != 0;
		if (node_of[i] && hierarchy_tree_parent(t, i) != TREE_NONE)
			node_of[hierarchy_tree_parent(t, i)] = 1;
	}
	for (uint32_t i = 0; i < t->rows.count; i++) {
		uint32_t parent = hierarchy_tree_parent(t, i);

		if (!node_of[i])
			continue;
		node_of[i] = h->node_count;
		h->nodes[h->node_count++] = (struct hierarchy_node){
			.parent = parent == TREE_NONE ? HIERARCHY_NONE : node_of[parent],
			.entry = hierarchy_tree_number(t, i),
			.weight = t->weights[i],
		};
	}
	return 0;
}

static int make_chains(struct hierarchy_parts *parts, const struct profile_pruned *pruned)
{
	int64_t least = pruned ? 0 : INT64_MIN; /* less than 0 is by rounding there */
	OWNS(hierarchy_walk) struct hierarchy_walk w = { 0 };
	int64_t total = 0;
	int err = hierarchy_walk_init(&w, parts->profile, least);

	if (!err)
		err = find_paths(parts, &w);
	if (err)
		return err;
	add_samples(parts, &w, least, &total);
	err = add_up_paths(parts);
	if (!err && pruned)
		return hierarchy_add_pruned(parts, pruned, total);
	parts->made.total = total;
	parts->made.is_exact = true;
	return err;
}

int hierarchy_make(const struct profile *p, const struct profile_pruned *pruned,
		   const bool *is_target, struct hierarchy *out)
{
	struct hierarchy_parts parts __attribute__((cleanup(parts_cleanup)));
	int err = parts_init(&parts, p, is_target);

	if (!err && pruned && !pruned->has_chains)
		err = hierarchy_of_columns(&parts, pruned);
	else if (!err)
		err = make_chains(&parts, pruned);
	if (!err)
		err = take_relations(&parts);
	if (!err)
		err = take_nodes(&parts);
	if (err)
		return err;
	*out = parts.made;
	parts.made = (struct hierarchy){ 0 };
	return 0;
}
