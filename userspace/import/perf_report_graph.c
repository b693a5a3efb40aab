/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of an entry, line by line, as nodes. */
#include "import/perf_report_reader.h"

#define NO_NODE UINT32_MAX

/* An entry counts an address from its object's start, a graph as the process does. */
static bool is_own(const struct report_reader *r, profile_id frame, struct perf_text symbol)
{
	const struct report_entry *e = &r->entry;

	if (e->low_bits < 0)
		return frame == e->frame;
	return report_low_bits(symbol) == e->low_bits;
}

/* -g address writes ` file.c:12` or ` +12` behind symbols. */
static bool has_source_line(const struct report_reader *r, struct perf_text symbol)
{
	const struct perf_text *own = &r->entry.symbol;

	return symbol.len > own->len + 2 && symbol.text[own->len] == ' ' &&
	       memcmp(symbol.text, own->text, own->len) == 0 &&
	       perf_is_digit(symbol.text[symbol.len - 1]);
}

static int make_room(struct report_reader *r, uint32_t level)
{
	struct report_graph *g = &r->graph;

	if (g->count == g->room) {
		uint32_t room = g->room ? 2 * g->room : 256;
		void *grown =
			room > g->room ? reallocarray(g->nodes, room, sizeof(*g->nodes)) : NULL;

		if (!grown)
			return -ENOMEM;
		g->nodes = grown;
		grown = reallocarray(g->path, room, sizeof(*g->path));
		if (!grown)
			return -ENOMEM;
		g->path = grown;
		g->room = room;
	}
	if (level >= g->levels) {
		size_t levels = 2 * (size_t)level + 64;
		void *grown = reallocarray(g->last, levels, sizeof(*g->last));

		if (!grown)
			return -ENOMEM;
		g->last = grown;
		g->levels = levels;
	}
	return 0;
}

/* Adds the function @symbol below @parent, as the last of @level. */
static int add_node(struct report_reader *r, struct perf_text symbol, uint32_t level,
		    uint32_t parent)
{
	struct report_graph *g = &r->graph;
	struct report_node node = { .parent = parent };
	int err = make_room(r, level);

	if (symbol.len >= REPORT_MAX_SYMBOL)
		r->seen.has_cut_symbols = true;
	if (!err)
		err = report_find_frame(r, symbol, &node.frame, &node.is_inlined);
	if (err)
		return err;
	node.is_end = is_own(r, node.frame, symbol);
	if (parent != NO_NODE) {
		node.depth = g->nodes[parent].depth + 1;
		node.is_end |= node.is_inlined && g->nodes[parent].is_end;
	}
	if (!r->seen.has_plain_symbols && !node.is_end && has_source_line(r, symbol))
		return report_refuse_mode(r, IMPORT_MODE_GRAPH,
					  "a report of -g address splits functions by their lines");
	r->seen.has_plain_symbols |= node.is_end && r->entry.low_bits < 0;
	g->place.level = level;
	g->last[level] = g->count;
	g->nodes[g->count++] = node;
	return 0;
}

static int add_header(struct report_reader *r, struct perf_text symbol)
{
	struct report_graph *g = &r->graph;

	if (r->columns.lacks_first)
		return report_refuse_mode(
			r, IMPORT_MODE_GRAPH,
			"with -s sym, perf leaves out the first function of a chain");
	g->place.base = REPORT_MARGIN + strlen(REPORT_HEADER);
	g->header_count = 1;
	return add_node(r, symbol, 0, NO_NODE);
}

int report_check_unit(struct report_reader *r, const struct report_value *value)
{
	uint64_t most = (r->samples + 1) * r->samples_unit - 1;

	if (value->is_percent != (r->plan.unit == REPORT_UNIT_PERCENT))
		return report_refuse(r, -EBADMSG, "percentages and numbers are mixed");
	if (r->plan.unit == REPORT_UNIT_COUNT && (uint64_t)value->number > most) {
		r->plan.unit = REPORT_UNIT_PERIOD;
		return -EAGAIN;
	}
	r->seen.has_one |= value->number == 1;
	return 0;
}

static int add_valued(struct report_reader *r, const struct report_line *line)
{
	struct report_graph *g = &r->graph;
	bool is_root = line->level == 1 && !g->header_count;
	uint32_t parent = is_root ? NO_NODE : g->last[line->level - 1];
	int err = report_check_unit(r, &line->value);

	if (!err)
		err = add_node(r, line->symbol, line->level, parent);
	if (err)
		return err;
	g->nodes[g->count - 1].value = line->value.number;
	if (is_root)
		return 0;
	g->nodes[parent].callees++;
	if (__builtin_add_overflow(g->nodes[parent].below, line->value.number,
				   &g->nodes[parent].below))
		return report_refuse(r, -E2BIG, "values of more than 2^63 in sum");
	return 0;
}

static int add_only_callee(struct report_reader *r, const struct report_line *line)
{
	struct report_graph *g = &r->graph;
	uint32_t caller = g->count - 1;
	int err = add_node(r, line->symbol, line->level, caller);

	if (err)
		return err;
	g->header_count += line->level == 0;
	g->nodes[caller + 1].value = g->nodes[caller].below = g->nodes[caller].value;
	return 0;
}

void report_start_graph(struct report_reader *r)
{
	struct report_graph *g = &r->graph;

	g->count = 0;
	g->is_open = true;
	g->header_count = 0;
	g->place.base = REPORT_MARGIN;
	g->place.level = g->place.next = 0;
}

int report_take_line(struct report_reader *r, const char *text, const char *end)
{
	struct report_graph *g = &r->graph;
	const char *header = text + REPORT_MARGIN;
	struct report_line line;

	if (!g->count && end - header > 3 && memcmp(header, REPORT_HEADER, 3) == 0) {
		g->place.next = 0;
		return add_header(r, (struct perf_text){ header + 3, end - header - 3 });
	}
	report_read_line(text, end, &g->place, &line);
	g->place.next = 0;
	switch (line.kind) {
	case REPORT_LINE_SEPARATOR:
		g->place.has_separators |= g->count > 0;
		g->place.next = line.level;
		return 0;
	case REPORT_LINE_NODE:
		return add_valued(r, &line);
	case REPORT_LINE_ONLY_CALLEE:
		if (g->count)
			return add_only_callee(r, &line);
		break;
	case REPORT_LINE_REST:
		return report_refuse_mode(r, IMPORT_MODE_FRACTAL, REPORT_FRACTAL);
	case REPORT_LINE_BAD:
		break;
	}
	return report_refuse(r, -EBADMSG, "no line of a call graph");
}
