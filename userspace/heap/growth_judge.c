/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the books of pymalloc prove of a size class. A new pool is taken when every block of the
 * class lives. If none is ever freed, all that is allocated is growth, and each pool's worth of it
 * is followed by a refill. If some are, whoever makes those takes nearly all new pools, as freed
 * blocks are given out first: then the refills do not tell who keeps what he gets.
 * Source: cpython Objects/obmalloc.c.
 */
#include "heap/growth_parts.h"

#include <math.h>

#define ENOUGH_REFILLS 3
#define ENOUGH_SCANS 3
#define ENOUGH_SAMPLES 20
#define MOST_FREED_SCANS 4 /* one of so many, at most */
#define MOST_UNKNOWN 4	   /* likewise, of refills */
#define MOST_OTHERS 8	   /* likewise, of what grew */
#define PARTLY 4	   /* likewise, of pools that are not accounted for, beyond some few */
#define FEW_POOLS 2	   /* a scan is not of one moment */

/* Refills since the first scan for which there is no more pool: they came back. Below 0: new pools
 * that nobody was seen to take. */
static double pools_returned(const struct growth_size *s)
{
	double taken = (double)(s->refills - s->refills_before);

	if (!s->last.pools)
		return 0; /* not known */
	return taken - ((double)s->last.pools - (double)s->first.pools);
}

static bool is_much(const struct growth_size *s, double pools)
{
	return pools > FEW_POOLS + (double)(s->refills - s->refills_before) / PARTLY;
}

static double grown_blocks(const struct growth_size *s)
{
	return (double)s->last.live - (double)s->first.live;
}

static bool has_types(const struct growth_size *s)
{
	return (double)s->last.grown * MOST_OTHERS > grown_blocks(s);
}

/* What grew is of more than one type, or in part of one and in part of none. */
static bool is_of_several_types(const struct growth_size *s)
{
	double others = fmax((double)s->last.grown, grown_blocks(s)) - (double)s->last.most_grown;

	return has_types(s) && others * MOST_OTHERS > grown_blocks(s);
}

static const char *why_shared(const struct growth_size *s, const struct growth_lines *lines)
{
	if (lines->count > 1)
		return "several lines take new memory for blocks of this size";
	if (!lines->count || lines->unknown_refills * MOST_UNKNOWN > s->refills)
		return "who takes new memory for blocks of this size is often not known";
	if (s->freed_scans * MOST_FREED_SCANS > s->scans || is_much(s, pools_returned(s)))
		return "blocks of this size are freed as well: who makes those takes the new "
		       "memory, whoever keeps his";
	if (is_of_several_types(s))
		return "blocks of this size that stay are of several types";
	return NULL;
}

static const char *why_approximate(const struct growth_size *s, const struct growth_lines *lines,
				   double surely)
{
	if (s->scans < ENOUGH_SCANS)
		return "few scans so far";
	if (!(surely > 0))
		return "it goes up and down by more than it grew";
	if (s->refills < ENOUGH_REFILLS)
		return "few blocks of new memory so far";
	if (s->freed_scans)
		return "now and then a block of this size is freed";
	if (lines->unknown_refills || is_much(s, -pools_returned(s)))
		return "not everyone who took new memory was seen";
	if (s->mixed_scans)
		return "objects of other types were there at times";
	if (!has_types(s))
		return "what stays has no type: tables of containers, or memory of C code";
	return NULL;
}

bool growth_is_all_kept(const struct growth_size *s)
{
	return s->scans && !s->freed_scans && !is_much(s, pools_returned(s));
}

enum growth_verdict growth_judge(const struct growth_size *s, const struct growth_lines *lines,
				 double surely, const char **reason)
{
	*reason = why_shared(s, lines);
	if (*reason)
		return GROWTH_SHARED;
	*reason = why_approximate(s, lines, surely);
	if (*reason)
		return GROWTH_APPROXIMATE;
	*reason = "one line takes all new memory for blocks of this size, and none is freed";
	return GROWTH_CERTAIN;
}

/* --- larger blocks --- */

double growth_large_samples(const struct growth_large *l)
{
	double most = l->last.objects;

	if (!(l->last.variance > 0))
		return most;
	return fmin(most, l->last.bytes * l->last.bytes / l->last.variance);
}

enum growth_verdict growth_judge_large(const struct growth *g, const struct growth_large *l,
				       double surely, const char **reason)
{
	*reason = g->times.count < ENOUGH_SCANS ? "few scans so far"
		  : !(surely > 0)		? "it goes up and down by more than it grew"
		  : l->falls			? "part of it is freed again"
		  : growth_large_samples(l) < ENOUGH_SAMPLES ? "few samples so far"
							     : NULL;
	if (*reason)
		return GROWTH_APPROXIMATE;
	*reason = "of what was allocated here since the start more lives in every scan";
	return GROWTH_CERTAIN;
}
