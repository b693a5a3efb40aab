/* SPDX-License-Identifier: Apache-2.0 */
/* What the heap tracker and its copies are made of, for their own files. */
#ifndef SPPROF_HEAP_TRACKER_PARTS_H
#define SPPROF_HEAP_TRACKER_PARTS_H

#include "daemon/heap_freed.h"
#include "daemon/heap_model.h"
#include "daemon/heap_scans.h"
#include "daemon/heap_stacks.h"
#include "daemon/heap_temporary.h"
#include "daemon/heap_tracker.h"
#include "spprof_target.h"

#include <stdbool.h>

/* A session. */
struct tracked {
	bool is_used;
	enum heap_tier tier;
	bool misses_frees;
	uint32_t cycle; /* how many had its number before */
	struct heap_ids ids;
	uint64_t begin_ns, stop_ns;   /* of the window of samples; 0: it is open */
	struct native_names *natives; /* NULL until a native frame is met */
	struct heap_scans scans;
	struct heap_temporary temporary;
	struct heap_tracker_load load; /* but for what growth has dropped */
};

struct heap_tracker {
	struct heap_model *model;   /* NULL while there is no session */
	struct heap_stacks *stacks; /* of the model's table */
	uint32_t sessions;
	uint32_t temporary_budget; /* rows */
	struct tracked of[SP_HEAP_SESSIONS];
};

/* NULL: there is none of that number. */
struct tracked *heap_tracker_session(struct heap_tracker *t, uint32_t n);

struct heap_seen {
	struct heap_model *model; /* a reference: what lives is looked up when it is told */
	struct heap_ids ids;
	enum heap_tier tier;
	double window_seconds;
	struct heap_scans scans;
	struct heap_temporary temporary;
	struct heap_live live; /* as of the last scan */
	bool has_live;
	bool misses_frees;
	struct heap_freed freed; /* what was found, where they are missed */
};

/* To the "coverage" of @page, and a warning if it cannot be told. 0 or -ENOMEM. */
int heap_seen_tell_coverage(const struct heap_seen *s, const struct heap_live *live,
			    const struct growth_report *report, json_t *page);

#endif
