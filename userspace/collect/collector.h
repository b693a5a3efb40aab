/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collector - the BPF programs, the clock that drives them and the ring they fill.
 *
 * Not thread-safe: its owner drains it and changes its maps from one thread.
 */
#ifndef SPPROF_COLLECTOR_H
#define SPPROF_COLLECTOR_H

#include "base/cleanup.h"
#include "spprof_counters.h"
#include "spprof_event.h"
#include "spprof_pylayout.h"
#include "spprof_target.h"

#include <stdint.h>
#include <sys/types.h>

struct collector;

/* Called by collector_drain(); records are valid during the call, sizes were checked. */
struct collector_sink {
	void (*on_sample)(const struct sp_sample *sample, void *ctx);
	void (*on_code)(const struct sp_code *code, void *ctx);
	void (*on_process)(const struct sp_process *process, void *ctx);
	void *ctx;
	/* Of allocators with probes: kinds ALLOC and REFILL, and FREE. NULL: nobody asks. */
	void (*on_alloc)(const struct sp_alloc *alloc, void *ctx);
	void (*on_free)(const struct sp_free *free, void *ctx);
};

/*
 * Loads and attaches the programs; the clock is not running. @opener is the client's end
 * of perf_open's pair and stays the caller's. @stack_depth: frames kept of a stack, 1 to
 * SP_MAX_FRAMES. NULL and *@err on failure: -EPERM the kernel refuses (capabilities, or before
 * 5.11 RLIMIT_MEMLOCK), -ENOTSUP its verifier does, -ENOMEM, …
 */
struct collector *collector_new(int opener, unsigned int stack_depth,
				const struct collector_sink *sink, int *err);
void collector_free(struct collector *c); /* NULL is fine */
DEFINE_OWNS(collector);

/* Processors that have a clock. */
unsigned int collector_clock_count(const struct collector *c);

/* Becomes readable when a batch of records, or a process event, waits. */
int collector_fd(const struct collector *c);

/* Hands every waiting record to the sink. 0 or -errno. */
int collector_drain(struct collector *c);

/* Runs the clock on every processor every @period_ns, or stops it (0). 0 or -errno. */
int collector_set_clock(struct collector *c, uint64_t period_ns);

/* Follow @pid from now on as @target says, or no longer. */
int collector_follow(struct collector *c, pid_t pid, const struct sp_target *target);
void collector_unfollow(struct collector *c, pid_t pid);

/* What the programs know of @pid: 0 and *@target, or -ENOENT. */
int collector_target(const struct collector *c, pid_t pid, struct sp_target *target);

/* An epoch for collector_follow(), different from those that the programs give out. */
uint32_t collector_new_epoch(void);

/* The number of an equal layout, added if it is new; -ENOSPC: SP_MAX_LAYOUTS are there. */
int collector_add_layout(struct collector *c, const struct sp_pylayout *at);

/* The layout of that number, or NULL. Valid for the life of @c. */
const struct sp_pylayout *collector_layout(const struct collector *c, uint32_t number);

/* Follow processes that exec this file, from their first instruction. */
int collector_add_binary(struct collector *c, const struct sp_binary_id *id,
			 const struct sp_binary *binary);

/*
 * One consistent reading: taken = delivered + the sum of lost, each processor's as of
 * the last record that was drained.
 */
struct collector_counts {
	uint64_t taken;
	uint64_t delivered;
	uint64_t lost[SP_LOST_MAX];
	uint64_t count[SP_COUNT_MAX]; /* as of now; TAKEN may be ahead of @taken */
};
int collector_read_counts(struct collector *c, struct collector_counts *out);

#endif
