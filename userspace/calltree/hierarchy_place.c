/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/hierarchy_place.h"

#include <errno.h>
#include <string.h>

/* A report may be anybody's: these bound what one relation can cost, and add. */
#define MOST_PATHS 4
#define MOST_DEPTH 64

/* What callers gain in one round, their callees can pass on in the next. */
#define ROUNDS 4

struct heaviest {
	uint32_t paths[MOST_PATHS]; /* heaviest first */
	uint32_t count;
};

static void offer(struct heaviest *h, const struct hierarchy_tree *t, uint32_t path)
{
	uint32_t at = h->count;

	while (at && t->weights[h->paths[at - 1]] < t->weights[path])
		at--;
	if (at == MOST_PATHS)
		return;
	if (h->count < MOST_PATHS)
		h->count++;
	memmove(&h->paths[at + 1], &h->paths[at], (h->count - 1 - at) * sizeof(*h->paths));
	h->paths[at] = path;
}

/* Of each entry; the caller frees them. */
static struct heaviest *find_heaviest(const struct hierarchy_parts *parts)
{
	const struct hierarchy_tree *t = &parts->paths;
	struct heaviest *of = calloc(parts->made.entry_count + 1ul, sizeof(*of));

	for (uint32_t i = 0; of && i < t->rows.count; i++)
		offer(&of[hierarchy_tree_number(t, i)], t, i);
	return of;
}

/* Whether @entry could be called at the end of @path. */
static bool may_follow(const struct hierarchy_tree *t, uint32_t path, uint32_t entry)
{
	uint32_t depth = 0;

	for (; path != TREE_NONE; path = hierarchy_tree_parent(t, path))
		if (depth++ == MOST_DEPTH || hierarchy_tree_number(t, path) == entry)
			return false;
	return true;
}

static int place(struct hierarchy_tree *t, const struct heaviest *callers, uint32_t callee,
		 int64_t *gain)
{
	for (uint32_t i = 0; i<callers->count && * gain> 0; i++) {
		uint32_t path = callers->paths[i], row;
		int64_t fits;
		int err;

		if (!may_follow(t, path, callee))
			continue;
		err = hierarchy_tree_add(t, path, callee, 0, &row);
		if (err)
			return err;
		fits = t->weights[path] - t->weights[row];
		if (fits > *gain)
			fits = *gain;
		if (fits <= 0)
			continue;
		weight_add(&t->weights[row], fits);
		*gain -= fits;
	}
	return 0;
}

int hierarchy_place(struct hierarchy_parts *parts, int64_t *gains)
{
	const struct hierarchy_tree *pairs = &parts->pairs;

	for (int round = 0; round < ROUNDS; round++) {
		OWNS_MEM struct heaviest *heaviest = find_heaviest(parts);
		int err = heaviest ? 0 : -ENOMEM;

		for (uint32_t i = 0; i < pairs->rows.count && !err; i++) {
			uint32_t above = hierarchy_tree_parent(pairs, i);

			if (gains[i] > 0 && above != TREE_NONE)
				err = place(&parts->paths,
					    &heaviest[hierarchy_tree_number(pairs, above)],
					    hierarchy_tree_number(pairs, i), &gains[i]);
		}
		if (err)
			return err;
	}
	return 0;
}
