/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session - one recording: whose samples, since when, at what rate. Sums up in a tally and
 * turns into a profile at its end. Owned by the sampler's thread.
 */
#ifndef SPPROF_SESSION_H
#define SPPROF_SESSION_H

#include "collect/collector.h"
#include "daemon/rates.h"
#include "daemon/selection.h"
#include "daemon/tally.h"

struct session_request {
	struct selection selection;
	bool awaits; /* the one process is about to exec its Python */
	unsigned int hz;
	uint64_t length_ns; /* 0: until it is stopped or its processes have ended */
	enum tally_mode mode;
	uint64_t recording_bytes;     /* that all recordings may hold */
	unsigned int most_recordings; /* of one user at once, unless they see all */
};

/* A process of the session, whatever it execs: pid and start time name it. */
struct session_target {
	struct process *image; /* a reference: what it ran at the start */
	bool has_ended;
};

struct session {
	unsigned int id;
	struct session_request request;
	struct session_target targets[SPPROF_PIDS_MAX]; /* of SELECT_PIDS */
	unsigned int target_count;
	struct tally *tally;
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC; end: of its length, until it is finished */
	uint64_t start_unix_ns;
	uint64_t refused; /* samples that the tally had no room for */
	struct collector_counts before;
};

/* Time begins now; @now: the counts so far. */
struct session *session_new(unsigned int id, const struct session_request *r,
			    const struct collector_counts *now, struct tally_budget *budget);
void session_free(struct session *s); /* NULL is fine */
DEFINE_OWNS(session);

/* Time begins now and not before: the clock has been set to the session's rate. */
void session_begin(struct session *s);

/* Time ends now, or ended with the session's length. */
void session_end(struct session *s);

/* Counts the sample if it is the session's: of its processes and of its time. */
void session_take(struct session *s, struct sampled *x);

/* One more process to record; it had its present image at the start. */
void session_add_target(struct session *s, struct process *p);

/* A process ended, by whatever we learnt of it. */
void session_on_exit(struct session *s, const struct process *p);

/* No process is left that could bring samples: only where the processes were named. */
bool session_is_over(struct session *s);

/* The profile of a session that has ended: 0 and *@out, the caller's; or -errno. */
int session_finish(struct session *s, const struct collector_counts *now, const struct rates *rates,
		   struct profile **out);

#endif
