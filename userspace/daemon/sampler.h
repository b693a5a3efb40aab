/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampler - the thread that drains the ring, follows processes and runs the clock for
 * whoever watches. Everything it owns is touched in its thread only: others send letters.
 */
#ifndef SPPROF_SAMPLER_H
#define SPPROF_SAMPLER_H

#include "daemon/mailbox.h"
#include "daemon/process_table.h"
#include "daemon/rates.h"
#include "daemon/stack_store.h"

/* Somebody who wants samples. The clock runs at the highest rate that anybody asks for. */
struct watcher {
	unsigned int hz;
	void (*on_sample)(struct watcher *w, struct sampled *x);
	void (*on_exit)(struct watcher *w, const struct process *p); /* may be NULL */
	void (*on_turn)(struct watcher *w); /* after each drain, may unwatch; may be NULL */
	struct watcher *next;
};

struct config;
struct heap_sessions;
struct sampler;
struct windows;
struct worker;

/*
 * Loads the BPF programs and looks at every process; the thread does not run yet, so
 * privileges can still be dropped for all of it. @opener, @stack_depth: see collector_new().
 */
struct sampler *sampler_new(int opener, unsigned int stack_depth, int *err);
/* Ends the thread, if it runs. NULL is fine. */
void sampler_free(struct sampler *s);
DEFINE_OWNS(sampler);

/*
 * Before the thread runs: heaps can be followed. Probes are asked for in the thread of @w, and of
 * @opener, which nobody else uses from now on; @w ends before the sampler is freed. 0 or -ENOMEM.
 */
int sampler_follow_heaps(struct sampler *s, struct worker *w, int opener);

int sampler_start(struct sampler *s);

/*
 * Ends the thread, if it runs, and delivers what letters are left: from now on, everything
 * of the sampler's is the caller's thread's. May be called again for later letters.
 */
void sampler_stop(struct sampler *s);

/* Delivers @l in the sampler's thread, with the sampler as its owner. */
void sampler_post(struct sampler *s, struct letter *l);

/* In the sampler's thread only: */

sd_event *sampler_loop(struct sampler *s);
struct process_table *sampler_processes(struct sampler *s);

/* Hands samples from now on to @w, which stays the caller's. 0 or -errno. */
int sampler_watch(struct sampler *s, struct watcher *w);
void sampler_unwatch(struct sampler *s, struct watcher *w);

struct windows *sampler_windows(struct sampler *s);
struct heap_sessions *sampler_heaps(struct sampler *s);
const struct rates *sampler_rates(const struct sampler *s);
unsigned int sampler_stack_depth(const struct sampler *s);

/*
 * As @config says from now on: its rate and what windows hold. Also before the thread runs.
 * 0, or -errno and nothing is changed.
 */
int sampler_configure(struct sampler *s, const struct config *config);

/* Hands out everything that waits in the ring. */
void sampler_drain(struct sampler *s);

/* Something has begun that wants its turns: on_turn(), or a session of a heap. */
void sampler_turn_soon(struct sampler *s);

int sampler_read_counts(struct sampler *s, struct collector_counts *out);

struct sampler_load {
	unsigned int watchers;	 /* sessions; not the windows */
	unsigned int sample_hz;	 /* that the configuration asks for */
	unsigned int hz;	 /* of the clock now; 0: stopped */
	unsigned int processors; /* that have a clock */
	uint64_t ticks_due;	 /* that the clock should have brought so far */
	uint64_t weight_ns;	 /* of all samples delivered */
};
struct sampler_load sampler_load(const struct sampler *s);

#endif
