/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_probes - uprobes on an allocator, and what the kernel knows of the processes that have
 * them. The functions that take a collector may be called from any thread.
 */
#ifndef SPPROF_HEAP_PROBES_H
#define SPPROF_HEAP_PROBES_H

#include "base/cleanup.h"
#include "spprof_counters.h"
#include "spprof_target.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct collector;

/*
 * A probe to be: the instruction at @offset in @file is that at @ip in the memory of @pid. With
 * @has_return, which all have that ask for memory, nothing of the function has been pushed there
 * yet: the kernel takes the word at the stack pointer for where it returns to.
 */
struct heap_probe {
	pid_t pid;
	uint64_t ip;
	uint64_t offset;
	int file; /* open; stays the caller's */
	bool has_return;
	struct sp_probe what;
};

struct heap_link; /* a probe that is there */

/*
 * Asks the opener on @opener for the probe, and for that of its return, and attaches the program.
 * Takes some 10 ms, the first one half a second. NULL and *@err: as perf_open_uprobe(); -ENOSPC:
 * SP_MAX_PROBES are there; -EEXIST one is there; -ENOTSUP: this kernel refuses the programs.
 */
struct heap_link *heap_link_new(struct collector *c, int opener, const struct heap_probe *probe,
				int *err);
/*
 * The text is as it was when this returns: 0.1 to 0.4 s, in which the kernel waits for all
 * processors; no faster in several threads, as it does one at a time. NULL is fine.
 */
void heap_link_free(struct heap_link *link);
DEFINE_OWNS(heap_link);

/* What the programs do on hits in @pid from now on; without a target nothing. 0 or -errno. */
int heap_probes_follow(struct collector *c, pid_t pid, const struct sp_heap_target *target);
void heap_probes_unfollow(struct collector *c, pid_t pid);

/* Sums over the processors, since heap_probes_reset_counts(). 0 or -errno. */
int heap_probes_counts(struct collector *c, uint32_t session, struct sp_heap_counts *out);
int heap_probes_reset_counts(struct collector *c, uint32_t session);

/*
 * The kernel's filter of frees forgets nothing. When heap_probes_filter_is_full(), it is made
 * again: begin; drain the ring; keep each sample that lives; end. In the sampler's thread.
 */
bool heap_probes_filter_is_full(struct collector *c);
int heap_probes_filter_begin(struct collector *c);
void heap_probes_filter_keep(struct collector *c, pid_t pid, uint64_t address);
void heap_probes_filter_end(struct collector *c);

#endif
