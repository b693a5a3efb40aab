/* SPDX-License-Identifier: Apache-2.0 */
/* The text of one event: entries with their graphs. */
#include "import/perf_report_reader.h"

/* The level-1 node in a line, which may stand below a chain without a number, or not. */
static bool read_first_node(const char *text, const char *end, struct report_line *line)
{
	struct report_place place = { .base = REPORT_MARGIN, .next = 1 };

	if (!report_has_margin(text, end))
		return false;
	report_read_line(text, end, &place, line);
	if (line->kind == REPORT_LINE_NODE && line->level == 1)
		return true;
	place.base += strlen(REPORT_HEADER);
	report_read_line(text, end, &place, line);
	return line->kind == REPORT_LINE_NODE && line->level == 1;
}

/* The first number tells: the chains above it, which print none, are to be in its unit. */
static void find_unit(struct report_reader *r)
{
	struct report_reader ahead = *r;
	const char *text, *end;
	bool is_behind_separator = false;
	struct report_line line;

	r->plan.unit = report_has(r, REPORT_SAMPLES)  ? REPORT_UNIT_COUNT
		       : report_has(r, REPORT_PERIOD) ? REPORT_UNIT_PERIOD
						      : REPORT_UNIT_PERCENT;
	while ((text = report_next_line(&ahead, &end)) &&
	       !report_starts_with(text, end, REPORT_EVENT)) {
		if (is_behind_separator && read_first_node(text, end, &line)) {
			r->plan.unit =
				line.value.is_percent ? REPORT_UNIT_PERCENT : REPORT_UNIT_COUNT;
			return;
		}
		is_behind_separator = end > text && (end[-1] == ' ' || end[-1] == '|');
	}
}

/* Of a function that did not run itself there can be no whole stacks. */
static bool may_skip_graph(const struct report_reader *r)
{
	return !r->plan.keeps_own && r->entry.children >= 0 && r->entry.own == 0;
}

/* Only to see whether the numbers are what they are taken for. */
static int skip_line(struct report_reader *r, const char *text, const char *end)
{
	static const size_t first = REPORT_MARGIN + 1, second = REPORT_MARGIN + 4;
	struct report_line line;

	if ((size_t)(end - text) < second + 2 ||
	    (memcmp(text + first, "--", 2) != 0 && memcmp(text + second, "--", 2) != 0) ||
	    !read_first_node(text, end, &line))
		return 0;
	return report_check_unit(r, &line.value);
}

static int skip_graph(struct report_reader *r)
{
	const char *text, *end, *before = r->at;
	int err;

	while ((text = report_next_line(r, &end)) && report_has_margin(text, end)) {
		err = skip_line(r, text, end);
		if (err)
			return err;
		before = r->at;
		r->ended_with_graph = r->facts->has_chains = true;
	}
	r->entry.is_here = false;
	if (!text)
		return r->ended_with_graph
			       ? report_refuse(r, -EBADMSG, "the file ends inside of a call graph")
			       : 0;
	r->at = before;
	r->line_number--;
	return 0;
}

static int read_entry(struct report_reader *r, const char *text, const char *end)
{
	int err = report_finish_entry(r);

	if (!err)
		err = report_read_columns(r, text, end);
	if (!err)
		err = report_start_entry(r);
	if (!err && may_skip_graph(r))
		err = skip_graph(r);
	return err;
}

static int read_line(struct report_reader *r, const char *text, const char *end)
{
	if (text == end) {
		r->empty_lines++;
		return report_finish_entry(r);
	}
	if (*text == '#')
		return report_finish_entry(r);
	r->empty_lines = 0;
	if (!report_has_margin(text, end))
		return read_entry(r, text, end);
	if (!r->graph.is_open)
		return report_refuse(r, -EBADMSG, "a call graph without an entry");
	return report_take_line(r, text, end);
}

static int check_end(struct report_reader *r)
{
	if (r->at == r->end && r->entry.is_here && r->graph.count)
		return report_refuse(r, -EBADMSG, "the file ends inside of a call graph");
	return report_finish_entry(r);
}

static int read_entries(struct report_reader *r)
{
	const char *text, *end;
	int err = 0;

	while (!err && (text = report_next_line(r, &end))) {
		if (report_starts_with(text, end, REPORT_EVENT)) {
			r->at = text;
			r->line_number--;
			break;
		}
		if (r->at == r->end && r->end[-1] != '\n' && text < end && *text != '#')
			return report_refuse(r, -EBADMSG, "the file ends inside of a line");
		if (r->at - r->passed >= 1 << 20) {
			import_passed(r->file, text);
			r->passed = text;
		}
		err = read_line(r, text, end);
	}
	return err ? err : check_end(r);
}

/* But for the plan, as if nothing of the event had been read yet. */
static void start_again(struct report_reader *r)
{
	report_reset_own(r);
	r->seen = (struct report_seen){ 0 };
	r->stacks.count = 0;
	r->entry.is_here = false;
	r->facts->has_chains = false;
	r->passed = r->at;
	report_start_graph(r);
}

int report_read_event(struct report_reader *r)
{
	const char *start;
	uint64_t line_number;
	int err = report_read_header(r);

	if (err)
		return err;
	start = r->at;
	line_number = r->line_number;
	find_unit(r);
	r->plan.order = r->file->request->order == IMPORT_ORDER_CALLEE ? IMPORT_ORDER_CALLEE
								       : IMPORT_ORDER_CALLER;
	do {
		r->at = start;
		r->line_number = line_number;
		r->plan.keeps_own |= r->plan.unit == REPORT_UNIT_PERCENT;
		start_again(r);
		err = read_entries(r);
		if (!err)
			err = report_finish_event(r);
	} while (err == -EAGAIN);
	return err;
}
