/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What whole chains show is the least that any figure can be. All that any of them can lack,
 * for a callee, is what its children lack there: so that is shared out among the relations
 * into it, as far as the trees of callers show more, and the rest stands alone.
 */
#include "calltree/hierarchy_bound.h"
#include "calltree/hierarchy_place.h"

#include <errno.h>

/* Points that an error may be beyond the share of the total that the chains lack. */
#define MOST_ROUNDING_PCT 1.5

struct pruner {
	struct hierarchy_parts *parts;
	const struct profile_pruned *pruned;
	struct hierarchy_own own;
	struct hierarchy_column *columns;
	int64_t *own_weight; /* of each entry: of the tree that begins at it */
	int64_t *lacks;	     /* of each entry: children that its chains lack */
	int64_t *gains;	     /* of each pair */
	int64_t lost;	     /* what all chains lack */
	int64_t hidden;	     /* what any entry's can lack */
	double rounding;     /* printed digits can be as far off, in any figure */
};

static void pruner_cleanup(struct pruner *p)
{
	hierarchy_own_fini(&p->own);
	free(p->columns);
	free(p->own_weight);
	free(p->lacks);
	free(p->gains);
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t sum(int64_t a, int64_t b)
{
	weight_add(&a, b);
	return a;
}

/* Numbers behind all whole chains, and behind the most lines of an entry. */
static double count_numbers(const struct pruner *p)
{
	uint32_t sample_count, lines = 0;
	const struct profile_sample *samples = profile_samples(p->parts->profile, &sample_count);
	double numbers = 0;

	for (uint32_t i = 0; i < sample_count; i++)
		numbers += samples[i].count;
	for (uint32_t i = 0; i < p->parts->made.entry_count; i++)
		if (p->columns[i].lines > lines)
			lines = p->columns[i].lines;
	return numbers + lines;
}

static int pruner_read(struct pruner *p)
{
	struct hierarchy_parts *parts = p->parts;
	int err = hierarchy_columns_entries(parts, p->pruned);
	uint32_t row, count;

	if (!err)
		err = hierarchy_own_read(&p->own, parts, p->pruned->own);
	if (!err)
		err = hierarchy_columns_read(parts, p->pruned, &p->columns);
	for (uint32_t i = 0; i < p->own.found.rows.count && !err; i++) {
		uint32_t above = hierarchy_tree_parent(&p->own.found, i);

		if (above != TREE_NONE && hierarchy_tree_parent(&p->own.found, above) != TREE_NONE)
			err = hierarchy_parts_pair(
				parts, hierarchy_tree_number(&p->own.found, above),
				hierarchy_tree_number(&p->own.found, i), 0, &row);
	}
	count = parts->made.entry_count;
	p->own_weight = calloc(count + 1ul, sizeof(*p->own_weight));
	p->lacks = calloc(count + 1ul, sizeof(*p->lacks));
	p->gains = calloc(parts->pairs.rows.count + 1ul, sizeof(*p->gains));
	if (!p->own_weight || !p->lacks || !p->gains)
		return -ENOMEM;
	if (!err)
		p->rounding = p->pruned->half_digit * count_numbers(p);
	return err;
}

/* The most that any tree shows of a relation, into gains; and what trees weigh. */
static int read_own(struct pruner *p)
{
	const struct hierarchy_tree *t = &p->own.found;
	int err = 0;

	for (uint32_t i = 0; i < t->rows.count && !err; i++) {
		uint32_t entry = hierarchy_tree_number(t, i), above = hierarchy_tree_parent(t, i);
		uint32_t pair;

		if (above == TREE_NONE)
			continue;
		if (hierarchy_tree_parent(t, above) == TREE_NONE) {
			weight_add(&p->own_weight[entry], t->weights[i]);
			continue;
		}
		err = hierarchy_parts_pair(p->parts, hierarchy_tree_number(t, above), entry, 0,
					   &pair);
		if (!err)
			p->gains[pair] = larger(p->gains[pair], t->weights[i]);
	}
	return err;
}

/*
 * Self and children. Chains that were cut below their own symbol look whole: then children
 * by the columns are more than what is lost can explain.
 */
static void add_to_entry(struct pruner *p, uint32_t entry)
{
	struct hierarchy_entry *e = &p->parts->made.entries[entry];
	const struct hierarchy_column *c = &p->columns[entry];
	int64_t most = sum(e->children, p->lost), children = c->least_children;

	e->self = larger(e->self, smaller(c->self, sum(e->self, p->lost)));
	if (children < 0 && p->own_weight[entry] > 0)
		children = smaller(sum(p->own_weight[entry], e->self), most);
	if (children > most && children - most <= p->rounding)
		children = most;
	children = larger(larger(e->children, e->self), children);
	p->lacks[entry] = children - e->children;
	e->children = children;
}

/* As much of what @callee lacks as is due to a pair that would gain @gain of @wanted. */
static int64_t share(int64_t lacks, int64_t gain, __int128 wanted)
{
	return wanted <= lacks ? gain : (int64_t)((__int128)gain * lacks / wanted);
}

static void add_to_relations(struct pruner *p, __int128 *wanted)
{
	const struct hierarchy_tree *pairs = &p->parts->pairs;

	for (uint32_t i = 0; i < pairs->rows.count; i++) {
		uint32_t callee = hierarchy_tree_number(pairs, i);

		if (hierarchy_tree_parent(pairs, i) == TREE_NONE)
			continue;
		p->gains[i] = larger(p->gains[i], pairs->weights[i]) - pairs->weights[i];
		p->gains[i] = smaller(p->gains[i], p->lacks[callee]);
		wanted[callee] += p->gains[i];
	}
	for (uint32_t i = 0; i < pairs->rows.count; i++) {
		uint32_t callee = hierarchy_tree_number(pairs, i);

		if (hierarchy_tree_parent(pairs, i) == TREE_NONE)
			continue;
		p->gains[i] = share(p->lacks[callee], p->gains[i], wanted[callee]);
		weight_add(&pairs->weights[i], p->gains[i]);
		p->parts->made.entries[callee].adjusted -= p->gains[i];
	}
}

/* What no relation gained stands alone. */
static int add_to_roots(struct pruner *p)
{
	struct hierarchy *h = &p->parts->made;
	uint32_t row;
	int err = 0;

	for (uint32_t i = 0; i < h->entry_count && !err; i++)
		if (p->lacks[i]) {
			int64_t before = h->entries[i].adjusted;

			h->entries[i].adjusted = sum(before, p->lacks[i]);
			err = hierarchy_tree_add(&p->parts->paths, TREE_NONE, i, 0, &row);
			if (!err)
				p->parts->paths.weights[row] = h->entries[i].adjusted;
		}
	return err;
}

static int set_error(const struct pruner *p)
{
	struct hierarchy *h = &p->parts->made;
	double point = h->total > 0 ? h->total / 100.0 : 1, off = p->hidden;

	for (uint32_t i = 0; i < h->entry_count; i++)
		if (p->lacks[i] > off)
			off = p->lacks[i];
	off += p->rounding;
	if (off > p->lost + MOST_ROUNDING_PCT * point)
		return -ENOTSUP;
	h->error_pct = off / point > 100 ? 100 : off / point;
	h->is_exact = off == 0;
	return 0;
}

int hierarchy_add_pruned(struct hierarchy_parts *parts, const struct profile_pruned *pruned,
			 int64_t shown)
{
	struct pruner p
		__attribute__((cleanup(pruner_cleanup))) = { .parts = parts, .pruned = pruned };
	int err;

	p.lost = pruned->total > shown ? pruned->total - shown : 0;
	parts->made.total = pruned->total;
	err = pruner_read(&p);
	if (!err)
		err = read_own(&p);
	if (!err)
		err = hierarchy_bound(parts, &p.own, p.columns, p.lost, &p.hidden);
	if (err)
		return err;
	OWNS_MEM __int128 *wanted = calloc(parts->made.entry_count + 1ul, sizeof(*wanted));

	if (!wanted)
		return -ENOMEM;
	for (uint32_t i = 0; i < parts->made.entry_count; i++)
		add_to_entry(&p, i);
	add_to_relations(&p, wanted);
	err = add_to_roots(&p);
	if (!err)
		err = hierarchy_place(parts, p.gains);
	return err ? err : set_error(&p);
}
