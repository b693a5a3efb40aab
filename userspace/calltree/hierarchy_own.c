/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/hierarchy_own.h"
#include "calltree/hierarchy_walk.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <errno.h>
#include <string.h>

void hierarchy_own_fini(struct hierarchy_own *own)
{
	hierarchy_tree_fini(&own->found);
	free(own->entry_of);
	free(own->name_of);
}

static uint64_t hash_string(const struct hierarchy_own *own, const struct profile *p, profile_id id)
{
	return XXH3_64bits_withSeed(profile_string(p, id), profile_string_len(p, id),
				    (uintptr_t)own);
}

static int index_names(const struct hierarchy_own *own, struct hash_index *index)
{
	const struct profile *p = own->parts->profile;
	int err = 0;

	for (profile_id i = 0; i < profile_string_count(p) && !err; i++)
		err = hash_index_add(index, hash_string(own, p, i), i);
	return err;
}

static bool is_same(const struct profile *p, profile_id a, const struct profile *q, profile_id b)
{
	size_t len = profile_string_len(p, a);

	return len == profile_string_len(q, b) &&
	       !memcmp(profile_string(p, a), profile_string(q, b), len);
}

/* The strings of the trees' profile are not those of the other. */
static int find_name(struct hierarchy_own *own, const struct hash_index *index,
		     const struct profile *trees, profile_id name)
{
	struct hash_probe probe = hash_index_find(index, hash_string(own, trees, name));
	profile_id other;

	while (hash_probe_next(&probe, &other))
		if (is_same(own->parts->profile, other, trees, name)) {
			own->name_of[name] = other;
			return hierarchy_parts_entry(own->parts, other, &own->entry_of[name]);
		}
	return 0;
}

static int find_names(struct hierarchy_own *own, const struct profile *trees)
{
	struct hash_index index = { 0 };
	uint32_t count, strings = profile_string_count(trees);
	const struct profile_function *functions = profile_functions(trees, &count);
	int err = -ENOMEM;

	own->entry_of = malloc(strings * sizeof(*own->entry_of));
	own->name_of = malloc(strings * sizeof(*own->name_of));
	if (own->entry_of && own->name_of) {
		memset(own->entry_of, 0xff, strings * sizeof(*own->entry_of));
		memset(own->name_of, 0xff, strings * sizeof(*own->name_of));
		err = index_names(own, &index);
	}
	for (uint32_t i = 0; i < count && !err; i++)
		err = find_name(own, &index, trees, functions[i].name);
	hash_index_fini(&index);
	return err;
}

static int found_call(void *arg, const struct hierarchy_step *step)
{
	struct hierarchy_tree *t = &((struct hierarchy_own *)arg)->found;
	bool is_root = step->stack == step->root;
	uint32_t row;
	int err;

	if (step->caller == HIERARCHY_NONE && !is_root)
		return 0;
	err = hierarchy_tree_add(t, TREE_NONE, step->root, 0, &row);
	if (!err && is_root)
		return hierarchy_tree_add(t, row, step->entry, step->weight, &row);
	if (!err)
		err = hierarchy_tree_add(t, row, step->caller, 0, &row);
	return err ? err : hierarchy_tree_add(t, row, step->entry, step->weight, &row);
}

int hierarchy_own_read(struct hierarchy_own *own, struct hierarchy_parts *parts,
		       const struct profile *trees)
{
	const struct hierarchy_visitor visitor = { .found = found_call, .arg = own };
	OWNS(hierarchy_walk) struct hierarchy_walk w = { 0 };
	int err;

	*own = (struct hierarchy_own){ .parts = parts, .trees = trees };
	hierarchy_tree_init(&own->found);
	if (!trees)
		return 0;
	err = find_names(own, trees);
	if (!err)
		err = hierarchy_walk_init(&w, trees, INT64_MIN);
	if (err)
		return err;
	return hierarchy_walk_run(&w, own->entry_of, parts->made.entry_count, &visitor);
}
