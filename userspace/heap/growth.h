/* SPDX-License-Identifier: Apache-2.0 */
/*
 * growth - what made a heap grow, of repeated scans and of who was there when the allocator took
 * a new pool for a size.
 *
 * How much a size class grew the scans say; that is exact. Who did it the refills say, as long as
 * one line alone has the class: two that take turns in a pool are told apart by nothing (all
 * refills may come to one of them), so of a class that may have several nobody is blamed.
 * Larger blocks are sampled: what lives of a stack is an estimate at each scan.
 *
 * What looks in every scan as if one line had the class, and no one can tell from outside: two
 * lines that make the same type by turns, in step with the pool; and a block that is always made
 * just before, and freed again before the one that stays takes its place.
 */
#ifndef SPPROF_GROWTH_H
#define SPPROF_GROWTH_H

#include "base/cleanup.h"

#include <stddef.h>
#include <stdint.h>

#define GROWTH_CANDIDATES 8	/* lines of a shared size class that are named */
#define GROWTH_MOST_STACKS 4096 /* of refills, and as many of larger blocks */
#define GROWTH_MOST_TYPES 16384 /* times the sizes of their blocks */
#define GROWTH_MOST_SIZES 256

enum growth_verdict {
	GROWTH_CERTAIN, /* one line has the class, nothing in it is freed, and it surely grows */
	GROWTH_APPROXIMATE, /* one line as far as is seen */
	GROWTH_SHARED,	    /* "shared size class": cannot tell */
};

/* A size class, as one scan found it. */
struct growth_class {
	uint32_t block_bytes;
	uint64_t live_blocks;
	uint64_t freed_blocks; /* that were given out before and are free now */
	uint64_t pools;	       /* 0: not known */
};

struct growth_entry {
	enum growth_verdict verdict;
	const char *reason;   /* of the verdict, for people; lives as long as the program */
	uint32_t block_bytes; /* 0: larger blocks, of any size */
	uint32_t stack;	      /* id; GROWTH_SHARED: that of the most refills, for what all share */
	uint64_t refills;     /* of the class, or about as many samples */
	double bytes, low, high; /* that it grew by between first and last scan, 95 % */
	double surely;		 /* of these, but for one case of 1,000; 0: it may not have grown */
	double objects;
	uint32_t candidates[GROWTH_CANDIDATES]; /* GROWTH_SHARED: stack ids, a line each */
	uint32_t candidate_count, more_candidates;
};

struct growth_report {
	struct growth_entry *entries; /* first what surely grew most, then what grew most */
	size_t count;
	uint32_t scans;
	double seconds;	   /* between the first and the last scan */
	double true_bytes; /* by which all size classes together changed: the scans */
	double seen_bytes; /* of these, those of classes whose refills were seen */
};

struct growth;

struct growth *growth_new(void);    /* NULL when out of memory */
void growth_free(struct growth *g); /* NULL is fine */
DEFINE_OWNS(growth);
/* As it is now, for another thread or another course of things. NULL when out of memory. */
struct growth *growth_copy(const struct growth *g);

/*
 * A scan is told in three steps: growth_typed() and growth_sampled(), in any order, and then
 * growth_scanned(), which is the scan itself, at @seconds of any clock, later than the one before.
 * Twice of the same adds up; what is not told of has nothing there. All: 0 or -ENOMEM. What there
 * is no room for is dropped and counted: growth_dropped().
 */
/* @objects of a type that live in blocks of @block_bytes; @type: any number that stays its own. */
int growth_typed(struct growth *g, uint64_t type, uint32_t block_bytes, uint64_t objects);
/* What lives of a stack of larger blocks: an estimate, and its variance in bytes. */
int growth_sampled(struct growth *g, uint32_t stack, double bytes, double objects, double variance);
int growth_scanned(struct growth *g, double seconds, const struct growth_class *classes,
		   size_t count);

/*
 * A new pool for blocks of @block_bytes: @line is equal for stacks that end in the same line; 0: it
 * is not known. It stands for @times refills, itself among them.
 */
int growth_refilled(struct growth *g, uint32_t block_bytes, uint32_t stack, uint64_t line,
		    uint32_t times);

uint64_t growth_dropped(const struct growth *g);

int growth_report_make(const struct growth *g, struct growth_report *out);
void growth_report_fini(struct growth_report *r);
static inline void growth_report_cleanup(struct growth_report *r)
{
	growth_report_fini(r);
}

const char *growth_verdict_name(enum growth_verdict v); /* "certain", "approximate", … */

#endif
