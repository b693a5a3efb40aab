/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of a call graph. A line is a margin, slots of 11 columns, one a level, and text. A
 * slot may show a pipe or not, whatever its level, so depth is a matter of columns alone:
 *
 *	               |--45.83%--work            node of level 1
 *	               |          only_child      its only callee
 *	               |          |               separator, before each node
 *	               |           --10.65%--leaf node of level 2
 */
#ifndef SPPROF_IMPORT_PERF_REPORT_LINE_H
#define SPPROF_IMPORT_PERF_REPORT_LINE_H

#include "import/perf_line.h"

#include <string.h>

#define REPORT_MARGIN 12
#define REPORT_HEADER "---" /* at the margin, before a chain that prints no value */
#define REPORT_SLOT 11

enum report_line_kind {
	REPORT_LINE_BAD,
	REPORT_LINE_SEPARATOR,
	REPORT_LINE_NODE,
	REPORT_LINE_ONLY_CALLEE, /* of the node before */
	REPORT_LINE_REST,	 /* what a fractal graph calls `[...]` */
};

struct report_value {
	int64_t number; /* of a percentage: hundredths of a percent */
	bool is_percent;
};

struct report_line {
	enum report_line_kind kind;
	uint32_t level; /* but of the bad; of a separator: of the node after it */
	struct report_value value;
	struct perf_text symbol;
};

/* What the lines before in the same graph leave behind. */
struct report_place {
	uint32_t base;	/* column of level 1 */
	uint32_t level; /* of the last node */
	uint32_t next;	/* level of the node that the separator just before announces, or 0 */
	bool has_separators;
};

void report_read_line(const char *text, const char *end, const struct report_place *place,
		      struct report_line *line);

/* `12.34%` or `12` at *@at, which goes behind it. False, if there is none up to @end. */
bool report_read_value(const char **at, const char *end, struct report_value *value);

/* Whether it has a margin, as all lines of a graph do, and no others. */
static inline bool report_has_margin(const char *text, const char *end)
{
	return end - text > REPORT_MARGIN && memcmp(text, "            ", REPORT_MARGIN) == 0;
}

#endif
