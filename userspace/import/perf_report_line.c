/* SPDX-License-Identifier: Apache-2.0 */
#include "import/perf_report_line.h"

#define TEN_BLANKS "          "

bool report_read_value(const char **at, const char *end, struct report_value *value)
{
	const char *c = *at;
	int64_t n = 0;

	*value = (struct report_value){ 0 };
	while (c < end && perf_is_digit(*c))
		if (__builtin_mul_overflow(n, (int64_t)10, &n) ||
		    __builtin_add_overflow(n, (int64_t)(*c++ - '0'), &n))
			return false;
	if (c == *at)
		return false;
	if (end - c >= 4 && c[0] == '.' && perf_is_digit(c[1]) && perf_is_digit(c[2]) &&
	    c[3] == '%') {
		if (__builtin_mul_overflow(n, (int64_t)100, &n))
			return false;
		n += (c[1] - '0') * 10 + (c[2] - '0');
		value->is_percent = true;
		c += 4;
	}
	value->number = n;
	*at = c;
	return true;
}

/* `|--12.34%--symbol`, or with a blank for the pipe; older perf put a blank before the symbol. */
static bool read_node(const char *text, const char *end, struct report_line *line)
{
	const char *at = text + 3;

	if (end - text < 6 || (*text != '|' && *text != ' ') || text[1] != '-' || text[2] != '-' ||
	    !report_read_value(&at, end, &line->value) || end - at < 3 || at[0] != '-' ||
	    at[1] != '-')
		return false;
	at += 2;
	at += *at == ' ' && at + 1 < end;
	line->symbol = (struct perf_text){ at, end - at };
	line->kind = REPORT_LINE_NODE;
	return true;
}

static bool is_slot(const char *text, const char *end)
{
	return end - text >= REPORT_SLOT && (*text == '|' || *text == ' ') &&
	       memcmp(text + 1, TEN_BLANKS, 10) == 0;
}

static bool ends_with(const struct perf_text *t, const char *what)
{
	size_t len = strlen(what);

	return t->len >= len && memcmp(t->text + t->len - len, what, len) == 0;
}

static bool read_only_callee(const char *text, const char *end, struct report_line *line)
{
	if (text >= end || *text == ' ')
		return false;
	line->symbol = (struct perf_text){ text, end - text };
	line->kind = REPORT_LINE_ONLY_CALLEE;
	return true;
}

/* Pipes and blanks only; blanks at the end of a line get lost where people edit. */
static bool read_separator(const char *text, const char *end, const struct report_place *place,
			   struct report_line *line)
{
	const char *first = text + place->base, *last = end;

	if (end <= first || (end[-1] != '|' && end[-1] != ' '))
		return false;
	if ((end - first) % REPORT_SLOT == 0 && is_slot(end - REPORT_SLOT, end)) {
		line->level = (end - first) / REPORT_SLOT;
	} else {
		while (last > text && (last[-1] == '|' || last[-1] == ' '))
			last--;
		if (last > text)
			return false;
		for (last = end; last > first && last[-1] == ' ';)
			last--;
		line->level = (last - first + REPORT_SLOT - 1) / REPORT_SLOT;
	}
	line->kind = REPORT_LINE_SEPARATOR;
	return true;
}

/* The rule itself, slot by slot: for lines that are not where the line before has them. */
static void read_by_slots(const char *text, const char *end, const struct report_place *place,
			  struct report_line *line)
{
	const char *at = text + place->base;

	for (uint32_t level = 0; at < end; level++, at += REPORT_SLOT) {
		if (level <= place->level && read_node(at, end, line)) {
			line->level = level + 1;
			if (ends_with(&line->symbol, "[...]") && line->symbol.len == 5)
				line->kind = REPORT_LINE_REST;
			return;
		}
		if (is_slot(at, end))
			continue;
		if (level == place->level && read_only_callee(at, end, line))
			line->level = level;
		return;
	}
}

void report_read_line(const char *text, const char *end, const struct report_place *place,
		      struct report_line *line)
{
	const char *at;

	line->kind = REPORT_LINE_BAD;
	if (read_separator(text, end, place, line))
		return;
	if (place->next) {
		at = text + place->base + (size_t)(place->next - 1) * REPORT_SLOT;
		line->level = place->next;
		if (place->next <= place->level + 1 && at < end && read_node(at, end, line))
			return;
	} else if (place->has_separators || !place->level) {
		at = text + place->base + (size_t)place->level * REPORT_SLOT;
		line->level = place->level;
		if (at < end && (!place->level || is_slot(at - REPORT_SLOT, at)) &&
		    read_only_callee(at, end, line)) {
			if (!place->has_separators && read_node(at, end, line))
				line->level = place->level + 1;
			return;
		}
	}
	read_by_slots(text, end, place, line);
}
