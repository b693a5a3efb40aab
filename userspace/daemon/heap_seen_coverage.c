/* SPDX-License-Identifier: Apache-2.0 */
/* How much of the change that the scans saw the probes saw. */
#include "daemon/heap_tracker.h"
#include "daemon/heap_tracker_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define LEAST_CHANGE 65536.0 /* bytes; of less, nobody can say which share was seen */
#define MORE 1.02	     /* times the change: a scan is not of one moment */
#define CHANCE 3	     /* standard errors */

/* NAN where a number is not known. */
struct coverage {
	double seen, change, share;
};

static struct coverage coverage_of(const struct heap_seen *s, const struct heap_live *live,
				   const struct growth_report *r)
{
	struct coverage c = { r->seen_bytes, r->true_bytes, NAN };

	if (s->scans.count < 2)
		return (struct coverage){ NAN, NAN, NAN };
	if (s->tier == HEAP_TIER_TRACE) {
		c.seen = live->blocks_bytes - s->scans.first_seen_bytes;
		c.change = (double)s->scans.last_live_bytes - (double)s->scans.first_live_bytes;
	}
	if (fabs(c.change) >= LEAST_CHANGE)
		c.share = c.seen / c.change;
	return c;
}

/*
 * What lived before the probes is freed, too, and nobody knows how much that is; and where functions
 * are built into their callers, what is freed there seems to live on. Of a trace that is sure to
 * have seen more than the change, the share is not known.
 */
static bool is_outdone(const struct heap_seen *s, const struct heap_live *live,
		       const struct coverage *c)
{
	return s->tier == HEAP_TIER_TRACE && !isnan(c->share) &&
	       c->seen > fmax(c->change, 0) * MORE + CHANCE * sqrt(live->blocks_variance);
}

static bool set(json_t *coverage, const char *name, json_t *value)
{
	return !json_object_set_new(coverage, name, value);
}

static json_t *json_bytes(double number)
{
	return isnan(number) ? json_null() : json_integer(llround(number));
}

static bool warn(json_t *page, const char *text)
{
	return !json_array_append_new(json_object_get(page, "warnings"), json_string(text));
}

static bool warn_outdone(json_t *page)
{
	return warn(page, "how much of the change the probes saw cannot be told: what lived "
			  "before them is freed as well, or some of what is freed is not seen");
}

static bool warn_missed(const struct heap_seen *s, const struct heap_live *live, json_t *page)
{
	char text[320];

	if (!s->freed.is_known)
		return warn(page,
			    "many frees of small blocks are not seen on this build, and which "
			    "of the sampled ones are freed could not be looked up: some of "
			    "what is told here is no more");
	snprintf(text, sizeof(text),
		 "many frees of small blocks are not seen on this build: of the sampled ones, "
		 "%" PRIu64 " found freed are left out, but one that was freed and given out again "
		 "unseen still counts",
		 live->freed_samples);
	return warn(page, text);
}

int heap_seen_tell_coverage(const struct heap_seen *s, const struct heap_live *live,
			    const struct growth_report *r, json_t *page)
{
	json_t *coverage = json_object_get(page, "coverage");
	struct coverage c = coverage_of(s, live, r);
	bool is_whole = true;

	if (is_outdone(s, live, &c)) {
		c.share = NAN;
		is_whole = warn_outdone(page);
	}
	if (s->misses_frees)
		is_whole = is_whole && warn_missed(s, live, page);
	is_whole = is_whole && set(coverage, "seen_bytes", json_bytes(c.seen)) &&
		   set(coverage, "true_bytes", json_bytes(c.change)) &&
		   set(coverage, "share", isnan(c.share) ? json_null() : json_real(c.share));
	return is_whole ? 0 : -ENOMEM;
}
