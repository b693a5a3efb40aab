/* SPDX-License-Identifier: Apache-2.0 */
#include "pruned_model.h"
#include "profiles.h"

#include <criterion/criterion.h>
#include <string.h>

#define MOST_NODES (MODEL_SAMPLES * MODEL_DEPTH)
#define NO_NODE (-1)

struct node {
	int parent;
	char letter;
	int64_t weight; /* exactly */
	int64_t value;	/* as printed; 0: not shown */
	int64_t below;	/* Σ of values of callees that are shown */
	int callees;
};

/* A line of the report: a function in one command and object, and its graph. */
struct entry {
	char letter;
	int object, comm;
	int64_t children, self;
	struct node nodes[MOST_NODES];
	int count;
};

struct report {
	const struct hierarchy_model *model;
	const struct pruning *how;
	int64_t total; /* exactly */
	struct profile *whole;
	struct profile_pruned *pruned;
};

static int64_t printed(const struct report *r, int64_t weight)
{
	return r->how->is_percent ? (weight * 20000 + r->total) / (2 * r->total) : weight;
}

static void add_chain(struct entry *e, const char *chain, int64_t weight)
{
	int at = NO_NODE;

	for (; *chain; chain++) {
		int i = 0;

		while (i < e->count && (e->nodes[i].parent != at || e->nodes[i].letter != *chain))
			i++;
		if (i == e->count)
			e->nodes[e->count++] = (struct node){ .parent = at, .letter = *chain };
		e->nodes[i].weight += weight;
		at = i;
	}
}

/* All of a sample of the function itself; of others, what begins with its outermost call. */
static void add_sample(struct entry *e, const struct hierarchy_sample *s, bool has_own)
{
	int leaf = strlen(s->stack) - 1;

	for (int i = 0; i <= leaf; i++) {
		bool is_self = s->stack[leaf] == e->letter && s->object[leaf] == e->object;

		if (s->stack[i] != e->letter || s->object[i] != e->object || s->comm != e->comm)
			continue;
		if (!is_self && !has_own)
			return;
		add_chain(e, is_self ? s->stack : s->stack + i, s->weight);
		e->children += s->weight;
		e->self += is_self ? s->weight : 0;
		return;
	}
}

static void print(const struct report *r, struct entry *e)
{
	for (int i = 0; i < e->count; i++) {
		struct node *n = &e->nodes[i];

		if (n->weight * 10000 < r->how->least * r->total)
			continue;
		n->value = printed(r, n->weight);
		if (n->parent != NO_NODE) {
			e->nodes[n->parent].below += n->value;
			e->nodes[n->parent].callees++;
		}
	}
	e->children = printed(r, e->children);
	e->self = printed(r, e->self);
}

static profile_id stack_of(struct profile *p, const struct entry *e, int node)
{
	const char name[] = { e->nodes[node].letter, '\0' };
	const struct test_frame frame = { name, "", 0, 0, PROFILE_NATIVE };
	int parent = e->nodes[node].parent;

	return test_stack(p, parent == NO_NODE ? PROFILE_NONE : stack_of(p, e, parent), &frame);
}

static void add(struct profile *p, const struct entry *e, int node, int64_t weight)
{
	if (weight)
		test_sample(p, stack_of(p, e, node), test_thread(p, 1, 1, e->comm ? "b" : "a", ""),
			    weight, 1 + e->nodes[node].callees);
}

static char root_of(const struct entry *e, int node)
{
	while (e->nodes[node].parent != NO_NODE)
		node = e->nodes[node].parent;
	return e->nodes[node].letter;
}

/*
 * What ends in the function is whole. In trees that begin with it, too, what a node has for
 * itself may as well have been cut, as far as it had callees at all.
 */
static void read_graph(const struct report *r, struct entry *e, int64_t called)
{
	for (int i = 0; i < e->count; i++) {
		const struct node *n = &e->nodes[i];
		bool is_own = root_of(e, i) == e->letter;
		int64_t left = n->value - n->below, whole = is_own ? left - called : left;

		if (n->letter != e->letter || !n->value || whole < 0)
			whole = 0;
		add(r->whole, e, i, whole);
		if (r->how->has_own && is_own)
			add(r->pruned->own, e, i, left - whole);
	}
}

static void add_line(const struct report *r, const struct entry *e)
{
	const char name[] = { e->letter, '\0' };
	bool has_children = r->how->is_percent && r->how->has_own;
	struct profile_pruned *p = r->pruned;

	p->entries = realloc(p->entries, (p->count + 1) * sizeof(*p->entries));
	p->entries[p->count++] = (struct pruned_entry){
		.symbol = test_string(r->whole, name),
		.comm = test_string(r->whole, e->comm ? "b" : "a"),
		.object = test_string(r->whole, e->object ? "/lib/b.so" : "/lib/a.so"),
		.children = has_children ? e->children : -1,
		.self = e->self,
	};
}

static void read_entry(const struct report *r, char letter, int object, int comm)
{
	static struct entry e;
	int64_t called;

	e.letter = letter;
	e.object = object;
	e.comm = comm;
	e.children = e.self = e.count = 0; /* what was in the nodes nobody reads */
	for (int i = 0; i < r->model->count; i++)
		add_sample(&e, &r->model->samples[i], r->how->has_own);
	if (!e.children || (!r->how->has_own && !e.self))
		return;
	called = e.children - e.self;
	print(r, &e);
	if (r->how->has_chains)
		read_graph(r, &e, called ? printed(r, called) + 1 : 0);
	add_line(r, &e);
}

struct profile_pruned *model_prune(const struct hierarchy_model *m, const struct pruning *how,
				   struct profile **whole)
{
	struct report r = { .model = m, .how = how, .whole = profile_new() };

	r.pruned = calloc(1, sizeof(*r.pruned));
	if (how->has_own && how->has_chains)
		r.pruned->own = profile_new();
	for (int i = 0; i < m->count; i++)
		r.total += m->samples[i].weight;
	for (char letter = 'A'; letter <= 'Z'; letter++)
		for (int i = 0; i < 4; i++)
			read_entry(&r, letter, i & 1, i >> 1);
	r.pruned->total = printed(&r, r.total);
	r.pruned->half_digit = how->is_percent ? 0.5 : 0;
	r.pruned->has_chains = how->has_chains;
	*whole = r.whole;
	return r.pruned;
}
