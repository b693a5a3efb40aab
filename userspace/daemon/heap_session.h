/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_session - one process whose allocator has probes, had them, or got what its parent had: in
 * which state it is, and what is due. Pure: daemon/heap_sessions does it.
 *
 *	ATTACHING -> ACTIVE -> STOPPED -> ENDED		INHERITED
 *			 \----------------^
 *
 * ACTIVE takes samples; STOPPED only sees what is freed; ENDED has no probe any more, and neither
 * has INHERITED: what they have stays as it is.
 */
#ifndef SPPROF_HEAP_SESSION_H
#define SPPROF_HEAP_SESSION_H

#include "daemon/heap_overhead.h"
#include "daemon/heap_sessions.h"
#include "daemon/heap_tracker.h"
#include "resolve/heap_sites.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define HEAP_SESSION_WARNINGS 8

enum heap_session_state {
	HEAP_SESSION_ATTACHING,
	HEAP_SESSION_ACTIVE,
	HEAP_SESSION_STOPPED,
	HEAP_SESSION_INHERITED,
	HEAP_SESSION_ENDED,
	HEAP_SESSION_STATES,
};

struct heap_session {
	uint32_t number; /* below SP_HEAP_SESSIONS */
	enum heap_session_state state;
	pid_t pid;
	uint32_t epoch;
	uint64_t start_ticks;
	uid_t uid;
	char name[48]; /* valid UTF-8 */

	enum heap_tier tier;
	struct heap_request request; /* nothing in it is left open from ACTIVE on */
	char reason[256];	     /* of the state; "" if there is nothing to say */
	uint64_t unix_ns;	     /* when it became ACTIVE, or inherited */
	uint64_t begun_ns;	     /* likewise; CLOCK_MONOTONIC, as all that follow */
	uint64_t stopped_ns;	     /* 0: samples are taken */
	uint64_t ended_ns;	     /* 0: it has not ended */
	bool is_gone;		     /* the process is no more, or runs another program */

	/* Probes, a bit each: that are there, and that are to be there. */
	struct heap_site sites[HEAP_SITES_MOST];
	uint32_t site_count, attached, wanted;

	struct heap_costs costs;
	struct heap_overhead overhead;
	struct sp_heap_counts counts; /* as they were read last, like the following */
	uint64_t unreturned;	      /* of the counts' NO_RETURN, what the kernel did not count */
	struct heap_tracker_load load;
	uint64_t children_not_cloned;

	unsigned int scans; /* that were taken in */
	uint64_t next_scan_ns;

	char warnings[HEAP_SESSION_WARNINGS][256];
	unsigned int warning_count, warnings_left_out;
};

struct heap_sessions_load {
	unsigned int sessions[HEAP_SESSION_STATES];
	struct sp_heap_counts counts;
	uint64_t table_full, children_not_cloned;
	struct heap_statistics model; /* since there is one: it goes with the last session */
};

/* All probes are there. What the request leaves open becomes the tier's own. */
void heap_session_begin(struct heap_session *s, uint64_t now_ns, uint64_t unix_ns);

/* No samples any more: only probes that see what is freed are wanted. */
void heap_session_stop(struct heap_session *s, uint64_t now_ns, const char *reason);

/* No probe is wanted any more; the reason of a stop stays, and the end's is told after it. */
void heap_session_end(struct heap_session *s, uint64_t now_ns, const char *reason);

/* The C library's probes are wanted no more; false if there are none but those. */
bool heap_session_drop_libc(struct heap_session *s);

/* No sample is on its way any more: what has neither arrived nor is lost did not return. */
void heap_session_settle(struct heap_session *s);

/* When the next scan is due, after one that took @took_ns. */
void heap_session_pace(struct heap_session *s, uint64_t now_ns, uint64_t took_ns);

enum heap_session_due {
	HEAP_DUE_NOTHING,
	HEAP_DUE_SCAN,
	HEAP_DUE_STOP,
	HEAP_DUE_END,
	HEAP_DUE_FORGET
};

/* What time has come for; *@why is the reason to be given. As s->load says what lives. */
enum heap_session_due heap_session_due(const struct heap_session *s, uint64_t now_ns,
				       const char **why);

/* Seconds for which samples were taken. */
double heap_session_seconds(const struct heap_session *s, uint64_t now_ns);

/* What whoever reads its figures must know, each once. */
void heap_session_warn(struct heap_session *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

const char *heap_session_state_name(enum heap_session_state state);
const char *heap_tier_name(enum heap_tier tier);

#endif
