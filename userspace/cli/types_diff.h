/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types_diff - what became of each type between scans: before and after, and the trend. Types are
 * told apart by module and name; those that are not in a scan have nothing there.
 */
#ifndef SPPROF_CLI_TYPES_DIFF_H
#define SPPROF_CLI_TYPES_DIFF_H

#include "base/cleanup.h"
#include "base/trend.h"
#include "cli/heap_types.h"

struct types_row {
	const char *name, *module; /* the table's */
	bool is_storage;
	uint64_t objects_before, bytes_before;
	uint64_t objects, bytes; /* in the last scan */
	struct trend objects_trend, bytes_trend;
};

struct types_diff;

/* NULL when out of memory. */
struct types_diff *types_diff_new(void);
void types_diff_free(struct types_diff *d); /* NULL is fine */
DEFINE_OWNS(types_diff);

/* What there was before: at most once, before the first scan. Else it is the first scan. */
int types_diff_set_before(struct types_diff *d, const struct heap_types *heap);

/* Adds a scan that was @seconds on any one clock; later ones have more. 0 or -ENOMEM. */
int types_diff_add(struct types_diff *d, const struct heap_types *heap, double seconds);

/*
 * The rows that changed, what grows for sure first, by how much at least; then what may grow, then
 * what shrinks. @since_s: from before to the first scan, if that is the only one; 0: not known.
 * Valid until the next call. NULL and *@count 0 when out of memory or without a scan.
 */
const struct types_row *types_diff_rows(struct types_diff *d, double since_s, uint32_t *count);

uint32_t types_diff_scans(const struct types_diff *d);
uint32_t types_diff_unchanged(const struct types_diff *d); /* rows left out by the last call */

/* Whether @row grows, but for one case of 1,000. Without a trend: whether it grew. */
bool types_row_grows(const struct types_row *row);

#endif
