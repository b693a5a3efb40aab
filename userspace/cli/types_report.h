/* SPDX-License-Identifier: Apache-2.0 */
/* types_report - what grew between scans of a process, as text and as JSON. */
#ifndef SPPROF_CLI_TYPES_REPORT_H
#define SPPROF_CLI_TYPES_REPORT_H

#include "base/buffer.h"
#include "cli/heap_types.h"
#include "cli/types_diff.h"

#include <jansson.h>

/* A scan, without its types. */
struct types_moment {
	uint64_t time_ns; /* Unix time */
	uint64_t live_bytes;
	const char *file; /* that it was read from; NULL: of the process */
};

struct types_report {
	const struct heap_types *process; /* as the last scan has it */
	struct types_moment before, after;
	uint32_t scans;
	const struct types_row *rows;
	uint32_t count, unchanged;
	const struct buffer *warnings; /* a line each */
};

/* Seconds from before to after; 0 or less if a clock was set. */
double types_report_seconds(const struct types_report *r);

void types_report_add_text(const struct types_report *r, struct buffer *out);

/* A new object, or NULL when out of memory. */
json_t *types_report_json(const struct types_report *r);

/*
 * Whether @before, read from a file, can be compared with @after. If so 0, and a line in @warnings
 * for each thing to know; else -EINVAL, and why in @why.
 */
int types_report_check(const struct heap_types *before, const struct heap_types *after,
		       struct buffer *warnings, struct buffer *why);

#endif
