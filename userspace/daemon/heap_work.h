/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_work - what a session has done in the worker's thread, one thing at a time: its probes put
 * in, some taken out, its process's heap scanned. While it is away only @is_cancelled is touched.
 */
#ifndef SPPROF_HEAP_WORK_H
#define SPPROF_HEAP_WORK_H

#include "daemon/heap_cost.h"
#include "daemon/heap_sessions.h"
#include "daemon/heap_subject.h"
#include "daemon/mailbox.h"
#include "resolve/heap_census.h"
#include "resolve/heap_sites.h"

#include <stdatomic.h>

/* What all works have in common. */
struct heap_bench {
	struct letter sweep; /* first: takes @left out, when who waits has been answered */
	struct collector *collector;
	struct sampler *sampler; /* where works come back to */
	struct worker *worker;
	atomic_bool is_ending; /* probes that are there stay until the sessions are freed */

	/* The worker's thread's. */
	int opener;
	struct heap_costs costs;
	bool has_costs;
	struct heap_link *left[HEAP_COST_LINKS];
};

enum heap_work_kind { HEAP_WORK_ATTACH, HEAP_WORK_DETACH, HEAP_WORK_SCAN };

struct heap_work {
	struct letter letter; /* first */
	struct heap_bench *bench;
	void (*done)(struct heap_work *w); /* in the sampler's thread */
	void *ctx;
	bool is_away;
	atomic_bool is_cancelled; /* a scan, or what is put in: the rest is left */
	enum heap_work_kind kind;
	struct heap_subject subject;
	uint32_t session; /* its number */

	struct heap_link *links[HEAP_SITES_MOST]; /* NULL where there is none */

	/* HEAP_WORK_ATTACH */
	enum heap_tier_asked asked;
	enum heap_tier tier;
	struct heap_sites sites; /* without files once it is done */
	const char *fallback;	 /* why it is not the tier that was wanted first; NULL: it is */
	struct heap_costs costs;

	/* HEAP_WORK_DETACH */
	uint32_t going; /* a bit a link */

	/* HEAP_WORK_SCAN */
	struct heap_census census;
	uint64_t begin_ns, took_ns; /* CLOCK_MONOTONIC */

	/* 0, or an error of enum spprof_exit and what it is; also of a scan. */
	int exit;
	char message[512];
};

/* Has it done; w->done() follows, whatever comes of it. */
void heap_work_post(struct heap_work *w, enum heap_work_kind kind);

/* Takes out what is left of its probes. It is not away. */
void heap_work_fini(struct heap_work *w);

/* The worker's thread has ended. */
void heap_bench_fini(struct heap_bench *b);

/* Inside: */
void heap_work_fail(struct heap_work *w, int exit, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void heap_work_attach(struct heap_work *w);

#endif
