/* SPDX-License-Identifier: Apache-2.0 */
/*
 * windows - the last minutes of every Python, kept in memory in slices of one second, summed
 * up by stack. Bounded in time and in bytes: the oldest slice goes first, and is counted.
 * Owned by the sampler's thread.
 */
#ifndef SPPROF_WINDOWS_H
#define SPPROF_WINDOWS_H

#include "collect/collector.h"
#include "daemon/selection.h"
#include "daemon/stack_store.h"
#include "profile/profile.h"

#define WINDOWS_SLICE_NS 1000000000ull

struct windows;
struct rates;

struct windows_limits {
	uint64_t keep_ns; /* how far back */
	uint64_t bytes;	  /* of slices and of the stacks that only they hold */
};

/* @rates, those of the clock, outlive it, and so does the stacks' store. NULL: no memory. */
struct windows *windows_new(const struct rates *rates, const struct windows_limits *limits);
void windows_free(struct windows *w); /* NULL is fine */
DEFINE_OWNS(windows);

/* Drops what new limits no longer hold. */
void windows_set_limits(struct windows *w, const struct windows_limits *limits);

/*
 * Sampling begins, or ends, at @now_ns (CLOCK_MONOTONIC). What was before is forgotten:
 * nobody could tell any more which times were not sampled.
 */
void windows_start(struct windows *w, uint64_t now_ns);
void windows_stop(struct windows *w);

/* Takes in a sample. What cannot be kept is counted. */
void windows_add(struct windows *w, struct sampled *x);

/* Begins new slices up to @now_ns and drops those that are too old; @counts as of now. */
void windows_turn(struct windows *w, uint64_t now_ns, const struct collector_counts *counts);

/* The newest process that had @pid and has samples here, or NULL. Valid until windows_turn(). */
struct process *windows_find(const struct windows *w, pid_t pid);

/* Nanoseconds of the past, up to @now_ns, that questions can be asked of. */
uint64_t windows_span_ns(const struct windows *w, uint64_t now_ns);

/*
 * A profile of what @selection ran in the @length_ns before @now_ns, rounded out to slices, or in what
 * there is of it: profile_about() says since when and how long. A pid without a start means
 * the newest process that had it. The profile is the caller's; *@newest, unless @newest is
 * NULL, is the newest process in it, or NULL if it has no sample: valid until the next
 * windows_turn(). 0 or -ENOMEM.
 */
int windows_profile(struct windows *w, const struct selection *selection, uint64_t now_ns,
		    uint64_t length_ns, struct profile **out, struct process **newest);

struct windows_load {
	unsigned int slices;	 /* that hold something */
	uint64_t span_ns;	 /* as windows_span_ns() */
	uint64_t bytes;		 /* held now */
	uint64_t samples;	 /* in the slices kept */
	uint64_t dropped_slices; /* ended before their time: the limit of bytes */
	uint64_t refused;	 /* samples for which there was no room at all */
};
struct windows_load windows_load(const struct windows *w, uint64_t now_ns);

#endif
