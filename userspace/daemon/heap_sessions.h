/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_sessions - which processes' allocators have probes, since when, for how long and at what
 * cost. In the sampler's thread; probes are put in and taken out in the worker's.
 */
#ifndef SPPROF_HEAP_SESSIONS_H
#define SPPROF_HEAP_SESSIONS_H

#include "base/cleanup.h"
#include "spprof_event.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct call;
struct collector;
struct heap_seen;
struct heap_sessions_load;
struct process;
struct sampled;
struct sampler;
struct worker;

enum heap_tier_asked { HEAP_ASK_AUTO, HEAP_ASK_GROWTH, HEAP_ASK_TRACE };

/* What a caller of POST /v1/heap/start wants. */
struct heap_request {
	enum heap_tier_asked tier;
	uint64_t rate;		   /* bytes; 0: the tier's own */
	unsigned int max_overhead; /* percent of the processor time it has without; 0: the tier's */
	unsigned int seconds;	   /* 0: until it is stopped; trace: its own most */
	bool discards;		   /* of a stop: drops what there is */
};

struct heap_sessions;

/* @opener stays the caller's, and is used in the worker's thread from now on. NULL: no memory. */
struct heap_sessions *heap_sessions_new(struct sampler *s, struct collector *c, struct worker *w,
					int opener);
/* Nothing new is begun, and who waits is answered, now or when what runs has come back. */
void heap_sessions_end(struct heap_sessions *h);
/*
 * Takes out every probe: some 90 ms each, one after another, whoever asks (measured on Linux 6.18:
 * the kernel waits under one lock). The worker's thread has ended. NULL is fine.
 */
void heap_sessions_free(struct heap_sessions *h);
DEFINE_OWNS(heap_sessions);

/* Work of calls; each returns its call, at once or when the probes are there. */
void heap_sessions_start(struct heap_sessions *h, struct call *c);
void heap_sessions_stop(struct heap_sessions *h, struct call *c);
void heap_sessions_status(struct heap_sessions *h, struct call *c);

/* What is known of @p's allocator for a page on its heap: NULL if it has no session. */
struct heap_seen *heap_sessions_see(struct heap_sessions *h, const struct process *p);
/* Its session as /v1/heap/status tells it, or a JSON null. A new reference. */
json_t *heap_sessions_describe(struct heap_sessions *h, const struct process *p);

/* From the ring. */
void heap_sessions_on_alloc(struct heap_sessions *h, const struct sp_alloc *a, struct sampled *x);
void heap_sessions_on_free(struct heap_sessions *h, const struct sp_free *f);
void heap_sessions_on_process(struct heap_sessions *h, const struct sp_process *event);

/*
 * After each drain: what is over time, over its cap, due to be scanned. Returns when it wants to
 * be called again at the latest.
 */
uint64_t heap_sessions_turn(struct heap_sessions *h, uint64_t now_ns);

/* What there is, and what was counted of all that ever were. */
void heap_sessions_load(struct heap_sessions *h, struct heap_sessions_load *out);

#endif
