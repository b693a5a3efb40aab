/* SPDX-License-Identifier: Apache-2.0 */
/* snapshot_page - what the page of a process says of a profile. Shares are from 0 to 1. */
#ifndef SPPROF_SNAPSHOT_PAGE_H
#define SPPROF_SNAPSHOT_PAGE_H

#include "profile/summary.h"

#include <jansson.h>

#define SNAPSHOT_MOST_ROWS 100 /* of functions, and of lines; more are counted */

/*
 * The member "cpu": what @sum, the summary of @p, has in @window_ns. Of a time that was not
 * sampled (0) the share is null.
 */
json_t *snapshot_page_cpu(const struct profile *p, const struct summary *sum, uint64_t window_ns);

/* The member "lost": every name of SP_LOSSES and whatever else @p counts as lost. */
json_t *snapshot_page_lost(const struct profile *p);

/*
 * The member "unknown_share": of the weight of @sum, what ended in a function of kind
 * unknown, as [unknown] or [unreadable]. null if nothing was sampled.
 */
json_t *snapshot_page_unknown(const struct profile *p, const struct summary *sum);

#endif
