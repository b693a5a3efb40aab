/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of the sessions: heap_sessions.c has the table, heap_sessions_run.c what is done to one,
 * heap_sessions_work.c what the worker brings back of it, heap_sessions_turn.c what time brings,
 * heap_sessions_events.c what the ring does, and heap_verbs.c the calls.
 */
#ifndef SPPROF_HEAP_SESSIONS_PARTS_H
#define SPPROF_HEAP_SESSIONS_PARTS_H

#include "daemon/heap_session.h"
#include "daemon/heap_work.h"

/* A session with what is done for it. */
struct heap_seat {
	struct heap_session session;
	struct heap_sessions *owner;
	struct heap_work work;
	struct call *starter;  /* waits for the probes; NULL: nobody */
	struct call *stoppers; /* wait until those that are not wanted are out */
	bool is_tracked;       /* the tracker has what it sampled */
	bool is_leaving;       /* forgotten already: is here until its probes are out */
};

struct heap_sessions {
	struct heap_bench bench;
	struct heap_tracker *tracker; /* NULL before the first session */
	struct heap_seat *seats[SP_HEAP_SESSIONS];
	uint64_t next_second_ns;
	uint64_t clones_since_ns;
	unsigned int clones;		/* since then */
	struct heap_sessions_load past; /* of those that are forgotten */
};

/* The session of that process, unless it is forgotten. NULL: there is none. */
struct heap_seat *heap_seat_find(struct heap_sessions *h, pid_t pid, uint32_t epoch);

enum heap_seat_claim {
	HEAP_SEAT_IF_FREE,
	HEAP_SEAT_BY_RIGHT, /* or that of who has ended or inherited, the longest ago */
};

/* A seat for process @pid, with a number that no record has any more. NULL: none, or no memory. */
struct heap_seat *heap_seat_new(struct heap_sessions *h, pid_t pid, enum heap_seat_claim claim);

/* Not in a record's handler, as it drains the ring. Its work is not away. */
void heap_seat_release(struct heap_seat *seat);

/* Not told of any more: it is released when its probes are out, by heap_seat_tend(). */
void heap_seat_forget(struct heap_seat *seat);

/* The tracker drops what it sampled. */
void heap_seat_untrack(struct heap_seat *seat);

/* Reads what is counted of it. */
void heap_seat_read(struct heap_seat *seat);

/* The same, with what it cost its process until @now_ns. */
struct heap_reading heap_seat_reading(struct heap_seat *seat, uint64_t now_ns);

/* See heap_session_stop(), heap_session_end(); the kernel and the tracker do the same. */
void heap_seat_stop(struct heap_seat *seat, const char *reason);
void heap_seat_end(struct heap_seat *seat, const char *reason);

/* Its process is no more what it was: nothing of its memory is left. */
void heap_seat_gone(struct heap_seat *seat, const char *reason);

/*
 * Has the worker do what is next, unless it does something for it already; answers who need not
 * wait any more. May release it.
 */
void heap_seat_tend(struct heap_seat *seat);

/* The kernel is told what to do on its hits, as its state says. 0 or -errno. */
int heap_seat_follow(struct heap_seat *seat);

/* Whoever waits for its probes, if anybody does, waits in vain. */
void heap_seat_fail(struct heap_seat *seat, int exit, const char *message);

/* Its work is back. */
void heap_seat_on_work(struct heap_work *w);

/* It waits for nothing: its status, as it is now unless it was set before. */
void heap_seat_answer(struct heap_seat *seat, struct call *c);

#endif
