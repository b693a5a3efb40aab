/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_sites - where in a process the probes of its allocator go: which function of which mapped
 * file, and at which of its instructions.
 *
 * Of the Python's own allocator they are what its live tables of functions name, so stripped files
 * and debug hooks make no difference; of the C library what it exports.
 */
#ifndef SPPROF_HEAP_SITES_H
#define SPPROF_HEAP_SITES_H

#include "base/cleanup.h"
#include "resolve/interpreter.h"
#include "spprof_target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEAP_SITES_MOST 32
#define HEAP_SITES_MOST_FILES 4

enum heap_tier {
	HEAP_TIER_GROWTH, /* SP_PROBE_REFILL, and the C library's usual functions */
	HEAP_TIER_TRACE,  /* the allocator's functions, and all of the C library's */
};

struct heap_site {
	char function[64]; /* "allocate_from_new_pool", "malloc", "object malloc" of a table, … */
	unsigned int file; /* of heap_sites.files */
	uint64_t ip;	   /* of the instruction, in the process's memory */
	uint64_t offset;   /* of the instruction, in the file */
	bool has_return;   /* the pointer is what it returns */
	struct sp_probe what;
};

struct heap_sites {
	struct heap_site site[HEAP_SITES_MOST];
	size_t count;
	int files[HEAP_SITES_MOST_FILES]; /* open, and the very ones that are mapped */
	size_t file_count;
	bool has_refill; /* with HEAP_TIER_GROWTH; else *@why of heap_sites_find() says why not */
	bool are_frees_inlined; /* many are not seen: they are built into those that free */
	const char *without; /* what is not seen at these sites, for people; NULL: nothing known */
};

/*
 * Finds the sites of @tier in @pid, in which @in was found. 0 and *@out; -ENOTSUP and *@why, a
 * text for people that lives as long as the program: this Python has no such functions, or they
 * were not found, or the file was deleted or replaced on disk; -EAGAIN it is starting; -ESRCH,
 * -EPERM, -ENOMEM.
 */
int heap_sites_find(pid_t pid, const struct interpreter *in, enum heap_tier tier,
		    struct heap_sites *out, const char **why);

void heap_sites_fini(struct heap_sites *s);
static inline void heap_sites_cleanup(struct heap_sites *s)
{
	heap_sites_fini(s);
}

#endif
