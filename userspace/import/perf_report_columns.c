/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of entries: the ruler tells where they are, titles what they hold. */
#include "import/perf_report_reader.h"

static struct perf_text trim(struct perf_text t)
{
	while (t.len && perf_is_blank(*t.text)) {
		t.text++;
		t.len--;
	}
	while (t.len && perf_is_blank(t.text[t.len - 1]))
		t.len--;
	return t;
}

static struct perf_text cell(struct perf_text line, struct report_span span)
{
	size_t end = span.end < line.len ? span.end : line.len;

	if (span.start >= end)
		return (struct perf_text){ line.text, 0 };
	return trim((struct perf_text){ line.text + span.start, end - span.start });
}

static enum report_column column_of(struct perf_text title)
{
	static const struct {
		const char *title;
		enum report_column column;
	} known[] = {
		{ "Children", REPORT_CHILDREN },    { "Self", REPORT_SELF },
		{ "Overhead", REPORT_SELF },	    { "Samples", REPORT_SAMPLES },
		{ "Period", REPORT_PERIOD },	    { "Command", REPORT_COMMAND },
		{ "Pid:Command", REPORT_THREAD },   { "Tid:Command", REPORT_THREAD },
		{ "Shared Object", REPORT_OBJECT }, { "Symbol", REPORT_SYMBOL },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (perf_text_is(&title, known[i].title))
			return known[i].column;
	return REPORT_COLUMNS;
}

/* Without -F, but with -s sym, perf takes the first function of a chain for the entry's. */
static void see_first_key(struct report_columns *c, enum report_column column,
			  struct perf_text title, struct perf_text titles, bool *has_key)
{
	struct perf_text self = cell(titles, c->of[REPORT_SELF]);

	if (*has_key || column <= REPORT_PERIOD)
		return;
	*has_key = true;
	c->lacks_first = column == REPORT_SYMBOL && title.text > titles.text &&
			 (!c->of[REPORT_CHILDREN].end || perf_text_is(&self, "Self"));
}

static int refuse_titles(struct report_reader *r, struct perf_text title)
{
	if (memmem(title.text, title.len, " / ", 3))
		return report_refuse_mode(
			r, IMPORT_MODE_GRAPH,
			"a report of --hierarchy shows each chain at one level of many");
	return 0;
}

int report_read_ruler(struct report_reader *r, struct perf_text titles, struct perf_text ruler)
{
	struct report_columns *c = &r->columns;
	bool has_key = false;
	size_t at = 2;

	*c = (struct report_columns){ .has_ruler = true };
	while (at < ruler.len) {
		struct report_span span = { .start = at };
		enum report_column column;
		struct perf_text title;

		while (at < ruler.len && ruler.text[at] == '.')
			at++;
		while (at < ruler.len && ruler.text[at] != '.' && ruler.text[at] != ' ')
			at++;
		span.end = at;
		while (at < ruler.len && ruler.text[at] == ' ')
			at++;
		if (at >= ruler.len)
			span.end = UINT32_MAX;
		title = cell(titles, span);
		column = column_of(title);
		if (column != REPORT_COLUMNS)
			c->of[column] = span;
		else if (refuse_titles(r, title))
			return -ENOTSUP;
		see_first_key(c, column, title, titles, &has_key);
	}
	if (!report_has(r, REPORT_SYMBOL))
		return report_refuse(r, -ENOTSUP, "there is no column of symbols in it");
	return 0;
}

/* `[.] main`; with -v, `0x1139 B [.] main`, where B is where the symbol is from. */
static struct perf_text symbol_of(struct perf_text t)
{
	const char *at = t.text, *end = t.text + t.len;

	if (at < end && *at == '0') {
		while (at < end && *at != ' ')
			at++;
		while (at < end && *at == ' ')
			at++;
		at += end - at > 6 && at[1] == ' ' && at[2] == '[' ? 2 : 0;
	}
	if (end - at > 4 && at[0] == '[' && at[2] == ']' && at[3] == ' ')
		return (struct perf_text){ at + 4, end - at - 4 };
	return t;
}

/* -1 where there is no such column, or no number in it. */
static int read_number(struct report_reader *r, struct perf_text line, enum report_column column,
		       int64_t *number)
{
	struct perf_text t = cell(line, r->columns.of[column]);
	const char *at = t.text, *end = t.text + t.len;
	struct report_value value;

	*number = -1;
	if (!report_has(r, column) || perf_text_is(&t, "N/A"))
		return 0;
	if (!report_read_value(&at, end, &value) || at != end ||
	    value.is_percent != (column == REPORT_CHILDREN || column == REPORT_SELF))
		return report_refuse(r, -EBADMSG, "no number where the columns should have one");
	*number = value.number;
	return 0;
}

/* A chain of -g flat begins with its value alone, where no column's number can be. */
static bool is_flat(struct perf_text line)
{
	struct perf_text t = trim(line);
	const char *at = t.text;
	struct report_value value;

	return at - line.text == REPORT_MARGIN - 1 &&
	       report_read_value(&at, t.text + t.len, &value) && at == t.text + t.len;
}

int report_read_columns(struct report_reader *r, const char *text, const char *end)
{
	struct report_entry *e = &r->entry;
	struct perf_text line = { text, end - text };
	int err;

	if (line.len && *text != ' ')
		return perf_is_digit(*text) && r->seen.entries
			       ? report_refuse_mode(r, IMPORT_MODE_FOLDED,
						    "a report of -g folded shows no whole entries")
			       : report_refuse(r, -EBADMSG, "no line of a perf report");
	if (r->seen.entries && is_flat(line))
		return report_refuse_mode(r, IMPORT_MODE_FLAT,
					  "a report of -g flat does not tell what it left out");
	*e = (struct report_entry){ .is_here = true, .own = -1, .low_bits = -1 };
	err = read_number(r, line, REPORT_CHILDREN, &e->children);
	if (!err)
		err = read_number(r, line, REPORT_SELF, &e->self);
	if (!err)
		err = read_number(r, line, REPORT_SAMPLES, &e->samples);
	if (!err)
		err = read_number(r, line, REPORT_PERIOD, &e->period);
	e->command = cell(line, r->columns.of[REPORT_COMMAND]);
	e->thread = cell(line, r->columns.of[REPORT_THREAD]);
	e->object = cell(line, r->columns.of[REPORT_OBJECT]);
	e->symbol = symbol_of(cell(line, r->columns.of[REPORT_SYMBOL]));
	if (!err && !e->symbol.len)
		return report_refuse(r, -EBADMSG, "an entry without a symbol");
	return err;
}
