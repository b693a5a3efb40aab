/* SPDX-License-Identifier: Apache-2.0 */
/* From sums to means, and into the order in which they are shown. */
#include "cli/hierarchy_sums.h"

#include <errno.h>
#include <string.h>

void shares_fini(struct shares *s)
{
	sums_free(s->sums);
	free(s->entries);
	free(s->relations);
	free(s->nodes);
	*s = (struct shares){ 0 };
}

int shares_add(struct shares *s, const struct profile *p, const struct hierarchy *h)
{
	if (!s->sums)
		s->sums = sums_new();
	if (!s->sums)
		return -ENOMEM;
	s->is_exact = h->is_exact && (!s->profiles || s->is_exact);
	s->error_pct += h->error_pct;
	s->profiles++;
	return sums_add(s->sums, p, h);
}

/* Of the sums' rows: which entry each is, and how nodes follow each other. */
struct ranking {
	struct shares *shares;
	enum shares_order order;
	uint32_t *entry_of; /* by number among the sums */
};

static int by_size(double a, double b)
{
	return a > b ? -1 : a < b;
}

static int by_symbol(const struct share_entry *a, const struct share_entry *b)
{
	size_t shorter = a->symbol_len < b->symbol_len ? a->symbol_len : b->symbol_len;
	int differs = memcmp(a->symbol, b->symbol, shorter);

	if (differs)
		return differs;
	return a->symbol_len < b->symbol_len ? -1 : a->symbol_len > b->symbol_len;
}

static int compare_entries(const void *one, const void *two, void *arg)
{
	const struct share_entry *a = one, *b = two;
	bool by_self = ((const struct ranking *)arg)->order == SHARES_BY_SELF;
	int differs = by_self ? by_size(a->self, b->self) : by_size(a->children, b->children);

	return differs ? differs : by_symbol(a, b);
}

static int compare_relations(const void *one, const void *two, void *arg)
{
	const struct share_relation *a = one, *b = two;
	const struct share_entry *entries = ((const struct ranking *)arg)->shares->entries;
	int differs;

	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	differs = by_size(a->absolute, b->absolute);
	return differs ? differs : by_symbol(&entries[a->callee], &entries[b->callee]);
}

/* Nodes by the sums' numbers. */
static int compare_nodes(const void *one, const void *two, void *arg)
{
	const struct ranking *r = arg;
	const struct sum_node *a = table_row(&r->shares->sums->nodes, *(const uint32_t *)one);
	const struct sum_node *b = table_row(&r->shares->sums->nodes, *(const uint32_t *)two);
	const struct share_entry *entries = r->shares->entries;
	int differs;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	differs = by_size(a->absolute, b->absolute);
	return differs ? differs
		       : by_symbol(&entries[r->entry_of[a->entry]],
				   &entries[r->entry_of[b->entry]]);
}

/* relations is the entry's own number among the sums until it is ranked. */
static void rank_entries(const struct ranking *r)
{
	struct shares *s = r->shares;
	const struct sum_entry *rows = (const struct sum_entry *)s->sums->entries.rows;

	for (uint32_t i = 0; i < s->entry_count; i++)
		s->entries[i] = (struct share_entry){
			.symbol = strings_text(&s->sums->symbols, rows[i].symbol),
			.symbol_len = strings_len(&s->sums->symbols, rows[i].symbol),
			.kind = rows[i].kind,
			.children = rows[i].children / s->profiles,
			.self = rows[i].self / s->profiles,
			.adjusted = rows[i].adjusted / s->profiles,
			.relations = i,
			.root = SHARES_NONE,
		};
	qsort_r(s->entries, s->entry_count, sizeof(*s->entries), compare_entries, (void *)r);
	for (uint32_t i = 0; i < s->entry_count; i++) {
		r->entry_of[s->entries[i].relations] = i;
		s->entries[i].relations = 0;
	}
}

static void rank_relations(const struct ranking *r)
{
	struct shares *s = r->shares;
	const struct sum_relation *rows = (const struct sum_relation *)s->sums->relations.rows;

	for (uint32_t i = 0; i < s->relation_count; i++)
		s->relations[i] = (struct share_relation){
			.caller = r->entry_of[rows[i].caller],
			.callee = r->entry_of[rows[i].callee],
			.relative = rows[i].relative / s->profiles,
			.absolute = rows[i].absolute / s->profiles,
		};
	qsort_r(s->relations, s->relation_count, sizeof(*s->relations), compare_relations,
		(void *)r);
	for (uint32_t i = 0; i < s->relation_count; i++) {
		struct share_entry *caller = &s->entries[s->relations[i].caller];

		if (!caller->relation_end)
			caller->relations = i;
		caller->relation_end = i + 1;
	}
}

/* Room to put nodes behind their parents; all by the sums' numbers. */
struct placing {
	uint32_t *sorted;	/* nodes by parent, then as they are shown; roots are last */
	uint32_t *first, *last; /* of a node's own in there, and the one behind them */
	uint32_t *todo;		/* to be placed, the next one at the end */
	uint32_t left;
	uint32_t *placed; /* where a node is by now */
};

static void push(struct placing *p, uint32_t first, uint32_t last)
{
	while (last > first)
		p->todo[p->left++] = p->sorted[--last];
}

static void place_node(const struct ranking *r, struct placing *p, uint32_t number, uint32_t at)
{
	struct shares *s = r->shares;
	const struct sum_node *row = table_row(&s->sums->nodes, number);
	struct share_node *node = &s->nodes[at];

	*node = (struct share_node){
		.parent = SHARES_NONE,
		.entry = r->entry_of[row->entry],
		.relative = row->relative / s->profiles,
		.absolute = row->absolute / s->profiles,
	};
	if (row->parent != SHARES_NONE) {
		node->parent = p->placed[row->parent];
		node->depth = s->nodes[node->parent].depth + 1;
	} else {
		s->entries[node->entry].root = at;
	}
	p->placed[number] = at;
}

static void place_nodes(struct ranking *r, struct placing *p)
{
	struct shares *s = r->shares;
	const struct sum_node *rows = (const struct sum_node *)s->sums->nodes.rows;
	uint32_t count = s->node_count, roots = count;

	for (uint32_t i = 0; i < count; i++)
		p->sorted[i] = i;
	qsort_r(p->sorted, count, sizeof(*p->sorted), compare_nodes, r);
	for (uint32_t i = count; i--;) {
		uint32_t parent = rows[p->sorted[i]].parent;

		if (parent == SHARES_NONE) {
			roots = i;
			continue;
		}
		p->first[parent] = i;
		if (!p->last[parent])
			p->last[parent] = i + 1;
	}
	push(p, roots, count);
	for (uint32_t at = 0; p->left; at++) {
		uint32_t number = p->todo[--p->left];

		place_node(r, p, number, at);
		push(p, p->first[number], p->last[number]);
	}
}

static int rank_nodes(struct ranking *r)
{
	size_t count = r->shares->node_count + 1;
	OWNS_MEM uint32_t *room = calloc(5 * count, sizeof(*room));
	struct placing p = { .sorted = room };

	if (!room)
		return -ENOMEM;
	p.first = room + count;
	p.last = room + 2 * count;
	p.todo = room + 3 * count;
	p.placed = room + 4 * count;
	place_nodes(r, &p);
	return 0;
}

/* A profile without targets is fine, too: all is empty then. */
static int make_room(struct shares *s)
{
	s->entry_count = s->sums->entries.count;
	s->relation_count = s->sums->relations.count;
	s->node_count = s->sums->nodes.count;
	s->entries = calloc(s->entry_count + 1, sizeof(*s->entries));
	s->relations = calloc(s->relation_count + 1, sizeof(*s->relations));
	s->nodes = calloc(s->node_count + 1, sizeof(*s->nodes));
	return s->entries && s->relations && s->nodes ? 0 : -ENOMEM;
}

int shares_finish(struct shares *s, enum shares_order order)
{
	struct ranking r = { .shares = s, .order = order };
	OWNS_MEM uint32_t *entry_of = NULL;

	if (!s->sums)
		return 0;
	entry_of = calloc(s->sums->entries.count + 1, sizeof(*entry_of));
	if (!entry_of || make_room(s))
		return -ENOMEM;
	r.entry_of = entry_of;
	s->error_pct /= s->profiles;
	rank_entries(&r);
	rank_relations(&r);
	return rank_nodes(&r);
}
