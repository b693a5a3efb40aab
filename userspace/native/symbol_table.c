/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols lie on top of each other: names of one address, of which perf keeps the best, and
 * functions within functions, where the inner one counts. What is left is cut into ranges
 * that do not, so that a lookup is one binary search whatever the file.
 */
#include "native/symbol_table.h"

#include "base/cleanup.h"
#include "native/demangle.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#define SYMBOLS_MOST (16u << 20)
#define PAGE 4096

void symbol_table_fini(struct symbol_table *t)
{
	free(t->rows);
	free(t->ranges);
	*t = (struct symbol_table){ 0 };
}

int symbol_table_add(struct symbol_table *t, const struct symbol *s)
{
	if (t->count == SYMBOLS_MOST)
		return 0;
	if (t->count == t->room) {
		uint32_t room = t->room ? t->room * 2 : 256;
		struct symbol *rows = reallocarray(t->rows, room, sizeof(*rows));

		if (!rows)
			return -ENOMEM;
		t->rows = rows;
		t->room = room;
	}
	t->rows[t->count] = *s;
	t->rows[t->count].order = t->count;
	t->count++;
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* At the latest where the page after @start's ends. */
static uint64_t end_of_page(uint64_t start)
{
	return start < UINT64_MAX - 2 * PAGE ? (start + PAGE - 1) / PAGE * PAGE + PAGE : UINT64_MAX;
}

/* What has no size ends where the next one begins, even at the same address. */
static void end_the_endless(struct symbol_table *t)
{
	for (uint32_t i = 0; i < t->count; i++) {
		struct symbol *s = &t->rows[i];
		bool has_next = i + 1 < t->count;

		if (s->end != s->start)
			continue;
		if (!has_next || s[1].group != s->group)
			s->end = end_of_page(s->start);
		if (has_next && (s->end > s[1].start || s[1].group == s->group))
			s->end = s[1].start;
	}
}

/* How perf chooses between two names of an address: the first of these that differs. */
struct rank {
	bool has_size, is_strong, is_global;
	size_t underscores, len; /* of the name as it is printed */
};

/* So that a file of a million names of one address does not take for ever. */
#define RANKED_MOST 100000
#define RANKED_LEN 4096 /* bytes; longer ones are as good as each other */

struct ranking {
	struct buffer text;
	uint32_t ranked;
	struct rank best;
	bool has_name; /* @best has */
};

static void ranking_cleanup(struct ranking *g)
{
	buffer_fini(&g->text);
}

static int rank_name(struct ranking *g, const struct symbol *s, struct rank *r)
{
	int err;

	g->text.len = 0;
	if (++g->ranked > RANKED_MOST || strnlen(s->name, RANKED_LEN) == RANKED_LEN)
		return 0;
	err = demangle_add(s->name, &g->text);
	if (err)
		return err;
	r->underscores = strspn(g->text.data, "_");
	r->len = g->text.len;
	return 0;
}

static struct rank rank_of(const struct symbol *s)
{
	return (struct rank){ .has_size = s->end != s->start,
			      .is_strong = s->binding != STB_WEAK,
			      .is_global = s->binding == STB_GLOBAL };
}

/* Positive: @a is better. */
static int compare_bindings(const struct rank *a, const struct rank *b)
{
	if (a->has_size != b->has_size)
		return a->has_size - b->has_size;
	if (a->is_strong != b->is_strong)
		return a->is_strong - b->is_strong;
	return a->is_global - b->is_global;
}

/* 1 if @s is better than the best so far, 0 if not, or -ENOMEM. Of two alike, the first. */
static int is_better(struct ranking *g, const struct symbol *best, const struct symbol *s)
{
	struct rank r = rank_of(s);
	int by_binding = compare_bindings(&r, &g->best);
	int err;

	if (by_binding < 0)
		return 0;
	if (by_binding > 0) {
		g->best = r;
		g->has_name = false;
		return 1;
	}
	if (best->name == s->name || !strncmp(best->name, s->name, RANKED_LEN))
		return 0;
	err = g->has_name ? 0 : rank_name(g, best, &g->best);
	if (!err)
		err = rank_name(g, s, &r);
	if (err)
		return err;
	g->has_name = true;
	if (r.underscores > g->best.underscores ||
	    (r.underscores == g->best.underscores && r.len <= g->best.len))
		return 0;
	g->best = r;
	return 1;
}

/* Sorted by address: leaves the best name of each. */
static int keep_the_best(struct symbol_table *t)
{
	OWNS(ranking) struct ranking g = { 0 };
	uint32_t kept = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		struct symbol *s = &t->rows[i], *best = kept ? &t->rows[kept - 1] : NULL;
		int better = 1;

		if (best && best->start == s->start) {
			better = is_better(&g, best, s);
			if (better < 0)
				return better;
			if (better)
				*best = *s;
			continue;
		}
		g.best = rank_of(s);
		g.has_name = false;
		t->rows[kept++] = *s;
	}
	t->count = kept;
	return 0;
}

/* Symbols around the place where the sweep is, the inner ones last. */
struct sweep {
	struct symbol_table *t;
	uint32_t *open;
	size_t open_count;
};

static void begin_range(struct symbol_table *t, uint64_t start, uint32_t symbol)
{
	struct symbol_range *last = t->range_count ? &t->ranges[t->range_count - 1] : NULL;

	if (last && last->start == start)
		last->symbol = symbol;
	else
		t->ranges[t->range_count++] = (struct symbol_range){ start, symbol };
}

static uint64_t innermost_end(const struct sweep *w)
{
	return w->t->rows[w->open[w->open_count - 1]].end;
}

/* Ends those that end at or before @limit. */
static void close_until(struct sweep *w, uint64_t limit)
{
	while (w->open_count && innermost_end(w) <= limit) {
		uint64_t end = innermost_end(w);

		while (w->open_count && innermost_end(w) <= end)
			w->open_count--;
		begin_range(w->t, end, w->open_count ? w->open[w->open_count - 1] : NO_SYMBOL);
	}
}

static int cut_ranges(struct symbol_table *t)
{
	OWNS_MEM uint32_t *open = calloc(t->count + 1ull, sizeof(*open));
	struct sweep w = { .t = t, .open = open };

	t->ranges = calloc(2ull * t->count + 1, sizeof(*t->ranges));
	if (!open || !t->ranges)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->count; i++) {
		const struct symbol *row = &t->rows[i];

		if (row->end <= row->start)
			continue;
		close_until(&w, row->start);
		open[w.open_count++] = i;
		begin_range(t, row->start, i);
	}
	close_until(&w, UINT64_MAX);
	return 0;
}

int symbol_table_finish(struct symbol_table *t)
{
	int err;

	if (t->count)
		qsort(t->rows, t->count, sizeof(*t->rows), by_start);
	end_the_endless(t);
	err = keep_the_best(t);
	return err ? err : cut_ranges(t);
}

uint32_t symbol_table_find(const struct symbol_table *t, uint64_t address)
{
	size_t from = 0, to = t->range_count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (t->ranges[middle].start <= address)
			from = middle + 1;
		else
			to = middle;
	}
	return from ? t->ranges[from - 1].symbol : NO_SYMBOL;
}

size_t symbol_table_bytes(const struct symbol_table *t)
{
	return t->room * sizeof(*t->rows) + (2ull * t->count + 1) * sizeof(*t->ranges);
}
