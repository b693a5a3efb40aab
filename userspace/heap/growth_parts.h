/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of growth share. */
#ifndef SPPROF_GROWTH_PARTS_H
#define SPPROF_GROWTH_PARTS_H

#include "base/trend.h"
#include "heap/growth.h"
#include "heap/growth_rows.h"

#include <stdbool.h>

/* What a scan found of a size class. */
struct growth_found {
	uint64_t live, freed, pools;
	uint64_t grown,
		most_grown; /* objects since the first scan: of all types that grew, of one */
	uint32_t growing_types;
};

struct growth_size {
	struct growth_key key;
	struct trend_sums live;
	struct growth_found first, last, next;
	uint64_t refills, refills_before; /* the first scan */
	uint64_t unknown_refills;	  /* nobody knows by whom */

	/* Scans since the first refill, at which all blocks lived; and of these those that found
	 * blocks which had come back, and those with objects of several types more than at first. */
	uint32_t scans, freed_scans, mixed_scans;
};

/* Of a size class and a stack. */
struct growth_refills {
	struct growth_key key;
	uint64_t line, count;
};

struct growth_large {
	struct growth_key key;
	struct trend_sums bytes, objects;
	struct growth_amount {
		double bytes, objects, variance;
	} last, next;
	double first_variance;
	uint32_t falls; /* scans that found less than the one before */
};

/* Of a size class and a type. */
struct growth_type {
	struct growth_key key;
	uint64_t first, next; /* objects */
};

struct growth {
	struct trend_times times;
	struct growth_rows sizes, refills, larges, types;
	double first_bytes, last_bytes; /* of all size classes */
	uint64_t dropped;
};

/* The lines of one size class. */
struct growth_lines {
	uint32_t count;
	uint64_t unknown_refills;
};

/* What can be said of who made a class grow, and *@reason for it. */
enum growth_verdict growth_judge(const struct growth_size *s, const struct growth_lines *lines,
				 double surely, const char **reason);

/* Whether nothing of the class was freed: then its growth is no up and down. */
bool growth_is_all_kept(const struct growth_size *s);

enum growth_verdict growth_judge_large(const struct growth *g, const struct growth_large *l,
				       double surely, const char **reason);

/* As many equal samples as vary as much as all of @l that lives does. */
double growth_large_samples(const struct growth_large *l);

#endif
