/* SPDX-License-Identifier: Apache-2.0 */
/* What an entry tells of how the report was made. */
#include "import/perf_report_reader.h"

#define NO_NODE UINT32_MAX

/*
 * In caller order a function that ran itself has whole stacks, which begin elsewhere; in
 * callee order all chains begin with it. Unless all of its samples are shown to have no
 * callees, they may be those of others.
 */
void report_see_order(struct report_reader *r)
{
	const struct report_entry *e = &r->entry;
	const struct report_graph *g = &r->graph;
	bool calls_none = e->children < 0 || e->children == e->self;

	if (e->low_bits >= 0 || !(e->own > 0))
		return;
	for (uint32_t i = 0; i < g->count; i++) {
		const struct report_node *n = &g->nodes[i];
		bool is_last = i + 1 == g->count || g->nodes[i + 1].depth <= n->depth;

		if (n->parent == NO_NODE && !n->is_end && !n->is_inlined)
			r->seen.is_caller = r->plan.has_seen_caller = true;
		if (n->parent == NO_NODE && !n->is_end)
			return;
		if (n->parent != NO_NODE && is_last && calls_none && !n->is_end)
			r->seen.is_callee = true;
	}
}

/* Where every chain is a whole stack, its direction must be known before it is put down. */
int report_check_order(struct report_reader *r)
{
	struct report_plan *plan = &r->plan;

	if (r->entry.children >= 0)
		return 0;
	if (r->seen.is_caller && plan->order == IMPORT_ORDER_CALLEE) {
		plan->order = IMPORT_ORDER_CALLER;
		return -EAGAIN;
	}
	if (r->seen.is_callee && plan->order == IMPORT_ORDER_CALLER && !plan->has_seen_caller) {
		plan->order = IMPORT_ORDER_CALLEE;
		return -EAGAIN;
	}
	return 0;
}

/* All one-sample periods are equal, as far as can be seen: shares by both are the same. */
void report_see_periods(struct report_reader *r)
{
	const struct report_entry *e = &r->entry;
	__int128 off = (__int128)e->self * r->samples - (__int128)e->samples * REPORT_WHOLE;

	if (r->samples_unit != 1 || !r->samples || r->period % r->samples || e->samples < 0 ||
	    e->self < 0 || off > r->samples || -off > r->samples)
		r->seen.has_unequal_periods = true;
	r->seen.has_one |= e->samples == 1 && r->graph.count > 1;
}
