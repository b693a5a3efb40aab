/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/walk.h"

#include <errno.h>

/* A call node with self time, on its way from the leaf to the root. */
struct seen {
	uint32_t node;
	uint32_t function; /* of @node */
	int64_t self;
};

/* Siblings from the leaf: a range of w->seen whose nodes have one function. */
struct caller {
	uint32_t first, count;
	uint32_t function;
	int64_t running;
};

/* Siblings that are still to come: from the root in n->order, from the leaf in w->callers. */
struct level {
	uint32_t at, end;
};

struct walk {
	const struct tree_nodes *nodes;
	enum walk_direction direction;
	struct level *levels;
	uint32_t depth, level_room;
	struct seen *seen;
	uint32_t seen_count;
	struct caller *callers; /* of all open levels */
	uint32_t caller_count, caller_room;
	bool has_line; /* what is below the last line comes next */
};

static int by_function(const void *a, const void *b)
{
	const struct seen *left = a, *right = b;

	return (left->function > right->function) - (left->function < right->function);
}

static int by_running(const void *a, const void *b)
{
	const struct caller *left = a, *right = b;

	return tree_order(left->running, left->function, right->running, right->function);
}

/* Room for one more of @size bytes in *@rows: 0 or -ENOMEM. */
static int make_room(void *rows, uint32_t count, uint32_t *room, size_t size)
{
	uint32_t wide = *room ? 2 * *room : 64;
	void *grown;

	if (count < *room)
		return 0;
	grown = reallocarray(*(void **)rows, wide, size);
	if (!grown)
		return -ENOMEM;
	*(void **)rows = grown;
	*room = wide;
	return 0;
}

static int push_level(struct walk *w, uint32_t at, uint32_t end)
{
	int err = make_room(&w->levels, w->depth, &w->level_room, sizeof(*w->levels));

	if (!err)
		w->levels[w->depth++] = (struct level){ .at = at, .end = end };
	return err;
}

static int push_caller(struct walk *w, uint32_t first)
{
	int err = make_room(&w->callers, w->caller_count, &w->caller_room, sizeof(*w->callers));

	if (!err)
		w->callers[w->caller_count++] =
			(struct caller){ .first = first, .function = w->seen[first].function };
	return err;
}

/* Recursion has many of one function; looking costs less than sorting. */
static bool is_sorted(const struct seen *seen, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		if (seen[i - 1].function > seen[i].function)
			return false;
	return true;
}

/* Opens the level whose siblings share out w->seen[first], … */
static int push_callers(struct walk *w, uint32_t first, uint32_t count)
{
	uint32_t begin = w->caller_count;
	int err = 0;

	if (!is_sorted(w->seen + first, count))
		qsort(w->seen + first, count, sizeof(*w->seen), by_function);
	for (uint32_t i = first; i < first + count && !err; i++) {
		const struct seen *seen = &w->seen[i];

		if (i == first || seen->function != seen[-1].function)
			err = push_caller(w, i);
		if (err)
			break;
		w->callers[w->caller_count - 1].count++;
		weight_add(&w->callers[w->caller_count - 1].running, seen->self);
	}
	if (w->caller_count - begin > 1)
		qsort(w->callers + begin, w->caller_count - begin, sizeof(*w->callers), by_running);
	return err ? err : push_level(w, begin, w->caller_count);
}

/* Those of @c that have a caller go up to it; the others end here. */
static int go_up(struct walk *w, const struct caller *c)
{
	uint32_t count = 0;

	for (uint32_t i = c->first; i < c->first + c->count; i++) {
		struct seen seen = w->seen[i];
		uint32_t parent = w->nodes->rows[seen.node].parent;

		if (parent == TREE_NONE)
			continue;
		w->seen[i] = w->seen[c->first + count];
		w->seen[c->first + count++] =
			(struct seen){ .node = parent,
				       .function = w->nodes->rows[parent].function,
				       .self = seen.self };
	}
	return push_callers(w, c->first, count);
}

static int see_leaves(struct walk *w)
{
	w->seen = malloc((w->nodes->count + 1ul) * sizeof(*w->seen));
	if (!w->seen)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->nodes->count; i++)
		if (w->nodes->rows[i].self)
			w->seen[w->seen_count++] =
				(struct seen){ .node = i,
					       .function = w->nodes->rows[i].function,
					       .self = w->nodes->rows[i].self };
	return push_callers(w, 0, w->seen_count);
}

struct walk *walk_new(const struct tree_nodes *n, enum walk_direction direction)
{
	OWNS(walk) struct walk *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return NULL;
	w->nodes = n;
	w->direction = direction;
	err = direction == WALK_FROM_LEAF
		      ? see_leaves(w)
		      : push_level(w, n->first_root, n->first_root + n->root_count);
	return err ? NULL : TAKE(w);
}

void walk_free(struct walk *w)
{
	if (!w)
		return;
	free(w->levels);
	free(w->seen);
	free(w->callers);
	free(w);
}

void walk_skip(struct walk *w)
{
	w->has_line = false;
}

/* Opens what is below the last line, which is the one before the level's next. */
static int go_down(struct walk *w)
{
	uint32_t last = w->levels[w->depth - 1].at - 1;

	w->has_line = false;
	if (w->direction == WALK_FROM_LEAF) {
		struct caller c = w->callers[last]; /* a copy: they may move */

		return go_up(w, &c);
	}
	last = w->nodes->order[last];
	return push_level(w, w->nodes->rows[last].first,
			  w->nodes->rows[last].first + w->nodes->rows[last].count);
}

static void pop_level(struct walk *w)
{
	w->depth--;
	if (w->direction == WALK_FROM_LEAF && w->depth)
		w->caller_count = w->levels[w->depth - 1].end;
}

static struct walk_line line_at(const struct walk *w, uint32_t at)
{
	struct walk_line line = { .depth = w->depth - 1 };

	if (w->direction == WALK_FROM_LEAF) {
		line.function = w->callers[at].function;
		line.running = w->callers[at].running;
		line.self = line.depth ? 0 : line.running;
	} else {
		const struct tree_node *node = &w->nodes->rows[w->nodes->order[at]];

		line.function = node->function;
		line.running = node->running;
		line.self = node->self;
	}
	return line;
}

int walk_next(struct walk *w, struct walk_line *line)
{
	int err = w->has_line ? go_down(w) : 0;

	if (err)
		return err;
	while (w->depth && w->levels[w->depth - 1].at == w->levels[w->depth - 1].end)
		pop_level(w);
	if (!w->depth)
		return 0;
	*line = line_at(w, w->levels[w->depth - 1].at++);
	w->has_line = true;
	return 1;
}
