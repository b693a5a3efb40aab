/* SPDX-License-Identifier: Apache-2.0 */
/*
 * freed_log - the latest sampled allocations that were freed, with their lifetimes.
 *
 * Any thread may write and any may read, and none waits: a row is told before its entry in the
 * heap map ends, and settled after, so who saw the entry gone finds the row. Rows have tickets
 * that count up from 0; of those that are gone a reader is told that they are.
 */
#ifndef SPPROF_FREED_LOG_H
#define SPPROF_FREED_LOG_H

#include "heap/heap_map.h"

#include <stdbool.h>
#include <stddef.h>

#define FREED_LOG_CAPACITY (1u << 15) /* rows of 56 bytes */

struct freed_log;

struct freed_row {
	struct heap_sample sample;
	uint64_t death; /* sequence number of the free */
	uint32_t slot;	/* where it was in the heap map */
};

enum freed_state {
	FREED_ROW,  /* there it is */
	FREED_NOT,  /* somebody else ended it: there is another row of it, or it lives */
	FREED_GONE, /* overwritten, or there was no room */
	FREED_OPEN, /* not settled yet, or not written */
};

/* @capacity: a power of two. NULL when out of memory. */
struct freed_log *freed_log_new(uint32_t capacity);
void freed_log_free(struct freed_log *log); /* NULL is fine */
DEFINE_OWNS(freed_log);

/* A ticket to settle; rows that find no room have one, too. */
uint64_t freed_log_tell(struct freed_log *log, const struct freed_row *row);
void freed_log_settle(struct freed_log *log, uint64_t ticket, enum freed_state state);

/* The ticket that comes next. */
uint64_t freed_log_next(struct freed_log *log);
enum freed_state freed_log_read(struct freed_log *log, uint64_t ticket, struct freed_row *row);

/* Rows that are not kept: others are over them, or were not yet settled in their place. */
uint64_t freed_log_overflow(struct freed_log *log);

/* Nanoseconds, at least 1. */
static inline uint64_t freed_row_lifetime_ns(const struct freed_row *row)
{
	return row->death > row->sample.birth ? row->death - row->sample.birth : 1;
}

#endif
