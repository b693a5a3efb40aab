/* SPDX-License-Identifier: Apache-2.0 */
/* What an entry's graph shows: whole stacks, and what begins with the entry's own calls. */
#include "import/perf_report_reader.h"

#define NO_NODE UINT32_MAX

static int64_t left_over(const struct report_node *n)
{
	return n->value > n->below ? n->value - n->below : 0;
}

static int add_sample(struct report_reader *r, int64_t weight, uint32_t numbers)
{
	struct report_samples *s = &r->stacks;

	if (s->count == s->room) {
		size_t room = s->room ? 2 * s->room : 1024;
		void *grown = reallocarray(s->rows, room, sizeof(*s->rows));

		if (!grown)
			return -ENOMEM;
		s->rows = grown;
		s->room = room;
	}
	s->rows[s->count++] = (struct report_sample){
		.stack = stack_builder_stack(&r->builder),
		.thread = r->entry.thread_row,
		.weight = weight,
		.numbers = numbers,
	};
	return 0;
}

/* The stack of node @at: what the node before shares with it is built already. */
static int build_caller(struct report_reader *r, uint32_t at)
{
	const struct report_graph *g = &r->graph;
	int err = 0;

	stack_builder_keep(&r->builder, r->built);
	for (; r->built <= g->nodes[at].depth && !err; r->built++)
		err = stack_builder_push(&r->builder, g->nodes[g->path[r->built]].frame);
	return err;
}

static int build_callee(struct report_reader *r, uint32_t at)
{
	const struct report_graph *g = &r->graph;
	int err = 0;

	stack_builder_start(&r->builder);
	for (; at != NO_NODE && !err; at = g->nodes[at].parent)
		err = stack_builder_push(&r->builder, g->nodes[at].frame);
	return err;
}

/* With --children, callee order is refused in the end. */
static bool is_callee(const struct report_reader *r)
{
	return r->plan.order == IMPORT_ORDER_CALLEE && r->entry.children < 0;
}

/* @weight of what node @at has for itself is a whole stack's. */
static int add_whole(struct report_reader *r, uint32_t at, int64_t weight)
{
	int err;

	if (weight <= 0)
		return 0;
	err = is_callee(r) ? build_callee(r, at) : build_caller(r, at);
	if (__builtin_add_overflow(r->seen.shown, weight, &r->seen.shown))
		err = -E2BIG;
	return err ? err : add_sample(r, weight, 1 + r->graph.nodes[at].callees);
}

/*
 * Samples in which the function itself ran may begin with it, too, where nothing calls it;
 * then they share the nodes of those that it called others in. @own of them are left. A node
 * that may be the end of one has that for itself, and what perf has cut below it.
 */
struct shares {
	int64_t own;	   /* of which none is known to be of other roots */
	int64_t own_slack; /* how far off that may be */
	int64_t ends;	   /* all that such nodes have for themselves */
	int64_t ends_slack;
};

static struct shares find_shares(const struct report_reader *r)
{
	const struct report_graph *g = &r->graph;
	struct shares s = { .own = r->entry.own };
	uint32_t others = 0, numbers = 1;
	bool is_other = false;

	for (uint32_t i = 0; i < g->count; i++) {
		const struct report_node *n = &g->nodes[i];

		if (n->parent == NO_NODE) {
			is_other = !n->is_end;
			s.own -= is_other ? n->value : 0;
			others += is_other;
		}
		if (!is_other && n->is_end) {
			s.ends += left_over(n);
			numbers += 1 + n->callees;
		}
	}
	if (others && !(r->plan.unit == REPORT_UNIT_PERIOD && report_has(r, REPORT_PERIOD)))
		s.own_slack = report_slack(r, 1 + others);
	s.ends_slack = report_slack(r, numbers + others);
	return s;
}

/* How much of what node @n has for itself is sure to be of whole stacks. */
static int64_t whole_of(const struct shares *s, const struct report_node *n)
{
	int64_t sure;

	if (!n->is_end || s->own <= s->own_slack)
		return 0;
	if (s->ends <= s->own + s->ends_slack)
		return left_over(n);
	sure = s->own - (s->ends - left_over(n));
	return sure > 0 ? sure : 0;
}

static int add_node(struct report_reader *r, const struct shares *s, bool is_other, uint32_t at)
{
	const struct report_node *n = &r->graph.nodes[at];
	int64_t whole;
	int err;

	if (is_callee(r))
		return add_whole(r, at, left_over(n));
	if (is_other)
		return n->is_end ? add_whole(r, at, left_over(n)) : 0;
	whole = whole_of(s, n);
	err = add_whole(r, at, whole);
	if (!err && r->plan.keeps_own && r->entry.children >= 0)
		err = report_add_own(r, at, n->value - n->below - whole, 1 + n->callees);
	return err;
}

int report_add_stacks(struct report_reader *r)
{
	const struct report_entry *e = &r->entry;
	struct report_graph *g = &r->graph;
	struct shares s = find_shares(r);
	int64_t before = r->seen.shown;
	bool is_other = false;
	int err = 0;

	r->built = r->own.built = 0;
	for (uint32_t i = 0; i < g->count && !err; i++) {
		const struct report_node *n = &g->nodes[i];

		if (n->parent == NO_NODE)
			is_other = !n->is_end;
		if (r->built > n->depth)
			r->built = n->depth;
		if (r->own.built > n->depth)
			r->own.built = n->depth;
		g->path[n->depth] = i;
		err = add_node(r, &s, is_other, i);
	}
	if (err)
		return err;
	if (e->own < 0 || r->seen.shown - before != e->own)
		r->seen.has_unproven = true;
	if (e->own > 0 && __builtin_add_overflow(r->seen.own, e->own, &r->seen.own))
		return report_refuse(r, -E2BIG, "more than 2^63 in sum");
	return 0;
}
