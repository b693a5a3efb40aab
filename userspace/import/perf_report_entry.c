/* SPDX-License-Identifier: Apache-2.0 */
/* An entry whose graph is there: what it weighs, and whether it adds up. */
#include "import/names.h"
#include "import/perf_report_reader.h"

#define NO_NODE UINT32_MAX

/* Of @share, in hundredths of a percent of all. */
static int64_t period_of(const struct report_reader *r, int64_t share)
{
	return ((__int128)share * r->period + REPORT_WHOLE / 2) / REPORT_WHOLE;
}

int64_t report_children(const struct report_reader *r)
{
	const struct report_entry *e = &r->entry;

	if (r->plan.unit == REPORT_UNIT_COUNT || e->children < 0)
		return -1;
	return r->plan.unit == REPORT_UNIT_PERIOD ? period_of(r, e->children) : e->children;
}

static int64_t own_of(const struct report_reader *r)
{
	const struct report_entry *e = &r->entry;

	switch (r->plan.unit) {
	case REPORT_UNIT_COUNT:
		return e->samples;
	case REPORT_UNIT_PERIOD:
		return e->period < 0 && e->self >= 0 ? period_of(r, e->self) : e->period;
	default:
		return e->self;
	}
}

/* In an own-rooted chain: what its last function has for itself, as far as that is known. */
static int64_t known_value(const struct report_reader *r)
{
	const struct report_graph *g = &r->graph;
	const struct report_node *tail = &g->nodes[g->header_count - 1];
	int64_t deeper = 0;

	if (!tail->is_end)
		return tail->below;
	for (uint32_t i = g->header_count; i < g->count; i++)
		if (g->nodes[i].is_end)
			deeper += g->nodes[i].value - g->nodes[i].below;
	return tail->below + (r->entry.own > deeper ? r->entry.own - deeper : 0);
}

/*
 * A chain that no number is printed for is all that the entry has. The columns know how many
 * samples that is only for those in which the function ran itself; how much of the total it
 * is, for all.
 */
static int64_t header_value(const struct report_reader *r)
{
	const struct report_graph *g = &r->graph;
	int64_t below = g->nodes[g->header_count - 1].below, own = r->entry.own;
	int64_t children = r->plan.keeps_own ? report_children(r) : -1, known;

	if (r->plan.unit == REPORT_UNIT_PERCENT)
		return children > own ? children : own;
	if (r->entry.children < 0 || !g->nodes[0].is_end)
		return own > below ? own : below;
	known = known_value(r);
	return children - known > report_slack(r, 1) ? children : known;
}

static void set_header_value(struct report_reader *r)
{
	struct report_graph *g = &r->graph;
	int64_t value = header_value(r);

	for (uint32_t i = 0; i < g->header_count; i++) {
		g->nodes[i].value = value;
		if (i + 1 < g->header_count)
			g->nodes[i].below = value;
	}
}

static int refuse_sum(struct report_reader *r)
{
	if (r->plan.unit == REPORT_UNIT_PERCENT && r->entry.children < 0)
		return report_refuse_mode(
			r, IMPORT_MODE_FRACTAL,
			"its graphs have more than its entries: it is fractal, or "
			"lacks the column Children");
	if (r->plan.unit == REPORT_UNIT_PERCENT)
		return report_refuse_mode(r, IMPORT_MODE_FRACTAL, REPORT_FRACTAL);
	if (r->plan.unit == REPORT_UNIT_COUNT && report_has(r, REPORT_PERIOD)) {
		r->plan.unit = REPORT_UNIT_PERIOD;
		return -EAGAIN;
	}
	return report_refuse(r, -EBADMSG, "callees weigh more than their caller above");
}

/* In a graph, no callees have more than their caller; in a fractal one they have 100 %. */
static int check_sums(struct report_reader *r)
{
	const struct report_graph *g = &r->graph;
	int64_t roots = 0;
	uint32_t numbers = 1;

	for (uint32_t i = 0; i < g->count; i++) {
		const struct report_node *n = &g->nodes[i];

		if (n->below - n->value > report_slack(r, n->callees + 1) && n->callees)
			return refuse_sum(r);
		if (n->parent == NO_NODE && __builtin_add_overflow(roots, n->value, &roots))
			return refuse_sum(r);
		numbers += n->parent == NO_NODE;
	}
	if (r->plan.unit == REPORT_UNIT_PERCENT && g->count) {
		int64_t all = r->entry.children < 0 ? r->entry.self : r->entry.children;

		if (roots - all > report_slack(r, numbers))
			return refuse_sum(r);
	}
	return 0;
}

static int finish_thread(struct report_reader *r)
{
	struct report_entry *e = &r->entry;
	struct profile_thread thread = { 0 };
	struct perf_text name = e->command;
	uint64_t id = 0;
	int err;

	if (e->thread.len) {
		name = e->thread;
		for (; name.len && perf_is_digit(*name.text) && id < UINT32_MAX; name.len--)
			id = id * 10 + (*name.text++ - '0');
		if (name.len && *name.text == ':') {
			name.text++;
			name.len--;
			thread.tid = id <= UINT32_MAX ? (uint32_t)id : 0;
		}
	}
	err = names_add(r->profile, name.text, name.len, &thread.name);
	return err ? err : profile_add_thread(r->profile, &thread, &e->thread_row);
}

int report_finish_entry(struct report_reader *r)
{
	struct report_entry *e = &r->entry;
	struct report_graph *g = &r->graph;
	int err;

	g->is_open = false;
	if (!e->is_here)
		return 0;
	e->is_here = false;
	r->ended_with_graph = g->count > 0;
	r->facts->has_chains |= g->count > 0;
	report_see_order(r);
	report_see_periods(r);
	err = report_check_order(r);
	if (!err && g->header_count)
		set_header_value(r);
	if (!err)
		err = check_sums(r);
	if (!err)
		err = finish_thread(r);
	if (!err)
		err = report_add_stacks(r);
	if (!err && r->plan.keeps_own)
		err = report_add_entry(r);
	return err;
}

/*
 * What has no symbol is called by its address, in an entry with zeros before it. Of no known
 * object that is the one that graphs print; else it is one within the object.
 */
static void name_address(struct report_entry *e)
{
	const char *at = e->symbol.text, *end = at + e->symbol.len;

	e->is_in_object = !perf_text_is(&e->object, "[unknown]");
	if (e->is_in_object || e->symbol.len > sizeof(e->address) - 3)
		return;
	for (; at < end && (*at == '0' || *at == 'x'); at++)
		;
	e->symbol.len = snprintf(e->address, sizeof(e->address), "%s%.*s", at < end ? "0x" : "0",
				 (int)(end - at), at);
	e->symbol.text = e->address;
}

int report_start_entry(struct report_reader *r)
{
	struct report_entry *e = &r->entry;
	bool is_inlined;

	r->seen.entries++;
	r->seen.has_children |= e->children >= 0;
	report_start_graph(r);
	if (e->symbol.len > REPORT_MAX_SYMBOL)
		e->symbol.len = REPORT_MAX_SYMBOL;
	e->own = own_of(r);
	e->low_bits = report_low_bits(e->symbol);
	if (e->low_bits >= 0)
		name_address(e);
	return report_find_frame(r, e->symbol, &e->frame, &is_inlined);
}
