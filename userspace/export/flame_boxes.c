/* SPDX-License-Identifier: Apache-2.0 */
#include "export/flame_boxes.h"

#include <errno.h>

#define DIGIT_BITS 8
#define DIGITS (1u << DIGIT_BITS)

/* The boxes on their way: in the order of the nodes, then in that of the picture. */
struct maker {
	const struct flame_tree *tree;
	struct flame_boxes *boxes;
	uint32_t room;
	uint32_t *small_of; /* of each box: the one of its small children; 0: none */
	int64_t cut;	    /* heavier nodes are drawn */
	uint32_t at_cut;    /* of those that weigh as much, so many */
	int64_t least_weight;
};

static void maker_cleanup(struct maker *m)
{
	free(m->small_of);
}

void flame_boxes_fini(struct flame_boxes *b)
{
	free(b->rows);
	free(b->box_of);
	*b = (struct flame_boxes){ 0 };
}

/*
 * Sets the cut so that @most nodes are drawn: a radix selection, from the highest digit
 * down, of the weight that has rank @most.
 */
static void choose_cut(struct maker *m, uint32_t most)
{
	uint64_t prefix = 0, mask = 0;
	uint32_t left = most;

	if (m->tree->nodes.count - 1 <= most) {
		m->cut = 0;
		m->at_cut = 0;
		return;
	}
	for (int shift = 64 - DIGIT_BITS; shift >= 0; shift -= DIGIT_BITS) {
		uint32_t counts[DIGITS] = { 0 }, digit = DIGITS - 1;

		for (uint32_t i = 1; i < m->tree->nodes.count; i++)
			if (((uint64_t)m->tree->running[i] & mask) == prefix)
				counts[(uint64_t)m->tree->running[i] >> shift & (DIGITS - 1)]++;
		for (; digit > 0 && counts[digit] <= left; digit--)
			left -= counts[digit];
		prefix |= (uint64_t)digit << shift;
		mask |= (uint64_t)(DIGITS - 1) << shift;
	}
	m->cut = (int64_t)prefix;
	m->at_cut = m->cut ? left : 0;
}

/* Callers come first and weigh no less, so what is drawn hangs together. */
static bool is_drawn(struct maker *m, uint32_t node)
{
	int64_t running = m->tree->running[node];

	if (running < m->least_weight || running < m->cut)
		return false;
	if (running > m->cut)
		return true;
	if (!m->at_cut)
		return false;
	m->at_cut--;
	return true;
}

static int grow(struct maker *m)
{
	uint32_t room = m->room ? 2 * m->room : 1024;
	struct flame_box *rows = reallocarray(m->boxes->rows, room, sizeof(*rows));
	uint32_t *small_of;

	if (!rows)
		return -ENOMEM;
	m->boxes->rows = rows;
	small_of = reallocarray(m->small_of, room, sizeof(*small_of));
	if (!small_of)
		return -ENOMEM;
	m->small_of = small_of;
	m->room = room;
	return 0;
}

static int add_box(struct maker *m, uint32_t parent, uint32_t function, uint32_t *id)
{
	struct flame_boxes *b = m->boxes;
	struct flame_box box = { .parent = parent, .function = function };

	if (b->count == m->room && grow(m))
		return -ENOMEM;
	if (parent != FLAME_NONE)
		box.depth = b->rows[parent].depth + 1;
	m->small_of[b->count] = 0;
	b->rows[b->count] = box;
	*id = b->count++;
	return 0;
}

/* The box that @node, below box @parent, is merged into. */
static int merge(struct maker *m, uint32_t node, uint32_t parent, uint32_t *id)
{
	struct flame_boxes *b = m->boxes;
	int64_t running = m->tree->running[node];

	if (b->rows[parent].merged) {
		*id = parent;
	} else {
		if (!m->small_of[parent]) {
			if (add_box(m, parent, FLAME_NONE, id))
				return -ENOMEM;
			m->small_of[parent] = *id;
		}
		*id = m->small_of[parent];
		b->merged_weight += running;
		if (running > b->merged_most)
			b->merged_most = running;
	}
	b->rows[*id].merged++;
	b->merged++;
	return 0;
}

/* Nodes of no weight are left out: their box is their caller's. */
static int make_boxes(struct maker *m)
{
	struct flame_boxes *b = m->boxes;
	int err = add_box(m, FLAME_NONE, FLAME_NONE, &b->box_of[0]);

	for (uint32_t i = 1; i < m->tree->nodes.count && !err; i++) {
		const struct flame_node *node = flame_node(m->tree, i);
		uint32_t parent = b->box_of[node->parent];

		if (!m->tree->running[i])
			b->box_of[i] = parent;
		else if (is_drawn(m, i))
			err = add_box(m, parent, node->function, &b->box_of[i]);
		else
			err = merge(m, i, parent, &b->box_of[i]);
		if (!err)
			b->rows[b->box_of[i]].self += node->self;
	}
	return err;
}

static void sum_up(struct flame_boxes *b)
{
	for (uint32_t i = b->count; i-- > 0;) {
		b->rows[i].running += b->rows[i].self;
		if (i)
			b->rows[b->rows[i].parent].running += b->rows[i].running;
	}
}

/* A box and its number while they are sorted. */
struct numbered {
	struct flame_box box;
	uint32_t number;
};

/* By caller, then the heaviest first; what is merged comes last. */
static int compare(const void *a, const void *b)
{
	const struct numbered *left = a, *right = b;

	if (left->box.parent != right->box.parent)
		return left->box.parent < right->box.parent ? -1 : 1;
	if (!left->box.merged != !right->box.merged)
		return left->box.merged ? 1 : -1;
	if (left->box.running != right->box.running)
		return left->box.running > right->box.running ? -1 : 1;
	return left->number < right->number ? -1 : 1;
}

static struct numbered *sorted_boxes(const struct flame_boxes *b)
{
	struct numbered *sorted = calloc(b->count, sizeof(*sorted));

	if (!sorted)
		return NULL;
	for (uint32_t i = 0; i < b->count; i++)
		sorted[i] = (struct numbered){ .box = b->rows[i], .number = i };
	qsort(sorted + 1, b->count - 1, sizeof(*sorted), compare);
	return sorted;
}

/* How many boxes hang from each, itself counted, into @sizes. */
static void count_below(const struct flame_boxes *b, uint32_t *sizes)
{
	for (uint32_t i = b->count; i-- > 0;) {
		sizes[i]++;
		if (i)
			sizes[b->rows[i].parent] += sizes[i];
	}
}

/*
 * Writes the sorted boxes back in preorder and their new numbers into @number. A caller comes
 * before what it calls also in @sorted. @next: where the next child of each box goes.
 */
static void put_in_preorder(struct flame_boxes *b, const struct numbered *sorted,
			    const uint32_t *sizes, uint32_t *next, uint32_t *number)
{
	next[0] = 1;
	for (uint32_t i = 1; i < b->count; i++) {
		struct flame_box box = sorted[i].box;
		uint32_t at = next[box.parent];

		next[box.parent] += sizes[sorted[i].number];
		next[sorted[i].number] = at + 1;
		number[sorted[i].number] = at;
		box.parent = number[box.parent];
		b->rows[at] = box;
	}
}

static int sort_boxes(struct flame_boxes *b, uint32_t node_count)
{
	OWNS_MEM struct numbered *sorted = sorted_boxes(b);
	OWNS_MEM uint32_t *sizes = calloc(b->count, sizeof(*sizes));
	OWNS_MEM uint32_t *next = calloc(b->count, sizeof(*next));
	OWNS_MEM uint32_t *number = calloc(b->count, sizeof(*number));

	if (!sorted || !sizes || !next || !number)
		return -ENOMEM;
	count_below(b, sizes);
	put_in_preorder(b, sorted, sizes, next, number);
	for (uint32_t i = 0; i < node_count; i++)
		b->box_of[i] = number[b->box_of[i]];
	return 0;
}

int flame_boxes_init(struct flame_boxes *b, const struct flame_tree *t,
		     const struct flame_limits *limits)
{
	OWNS(maker)
	struct maker m = { .tree = t, .boxes = b, .least_weight = limits->least_weight };
	int err;

	b->box_of = calloc(t->nodes.count, sizeof(*b->box_of));
	if (!b->box_of)
		return -ENOMEM;
	choose_cut(&m, limits->most);
	err = make_boxes(&m);
	if (err)
		return err;
	sum_up(b);
	return sort_boxes(b, t->nodes.count);
}
