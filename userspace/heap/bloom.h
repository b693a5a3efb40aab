/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bloom - whether a pointer of a process may be one of the sampled ones.
 *
 * "No" is certain, for every entry that was published before the question. 1,048,576 bits, 4
 * hashes: n entries answer a wrong "yes" with (1 - e^(-4n/2^20))^4, 0.09 % at 50,000, 2.07 % at
 * 125,000. A filter forgets nothing; at more than half ones it is made again of what lives:
 *
 *	if (bloom_wants_rebuild(b) && !bloom_rebuild_begin(b)) {
 *		for each entry that is published
 *			bloom_rebuild_keep(b, process, pointer);
 *		bloom_rebuild_end(b);
 *	}
 *
 * Any thread may call any function at any time. Questions and additions never wait.
 */
#ifndef SPPROF_BLOOM_H
#define SPPROF_BLOOM_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stdint.h>

#define BLOOM_BITS (1u << 20)
#define BLOOM_HASHES 4

struct bloom;

struct bloom_stats {
	uint64_t ones;	   /* of the filter that answers */
	uint64_t rebuilds; /* that ended */
	uint64_t refused;  /* because one was under way */
};

/* NULL when out of memory. */
struct bloom *bloom_new(void);
void bloom_free(struct bloom *b); /* NULL is fine */
DEFINE_OWNS(bloom);

/* What bloom_add() gives and bloom_added() takes. */
struct bloom_pass {
	unsigned int side;
};

/*
 * Add before the entry is published, and say so after: a rebuild that began in between waits for
 * bloom_added(), so that it finds the entry. Nothing between the two may wait for a rebuild.
 * Where nothing is published after all, bloom_added() follows all the same.
 */
struct bloom_pass bloom_add(struct bloom *b, uint32_t process, uint64_t pointer);
void bloom_added(struct bloom *b, struct bloom_pass pass);

bool bloom_may_have(const struct bloom *b, uint32_t process, uint64_t pointer);

/* More than half of the bits are ones. */
bool bloom_wants_rebuild(const struct bloom *b);

/* 0, or -EBUSY: one is under way, wherever. From here on additions go to both filters. */
int bloom_rebuild_begin(struct bloom *b);
void bloom_rebuild_keep(struct bloom *b, uint32_t process, uint64_t pointer);
void bloom_rebuild_end(struct bloom *b); /* from here on the new filter answers */

struct bloom_stats bloom_stats(const struct bloom *b);

#endif
