/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session - one recording: whose samples, since when, at what rate. Sums up in a tally and
 * turns into a pprof at its end. Owned by the sampler's thread.
 */
#ifndef SPPROF_SESSION_H
#define SPPROF_SESSION_H

#include "base/buffer.h"
#include "collect/collector.h"
#include "daemon/tally.h"

#define SESSION_MAX_PIDS 64

struct session_request {
	uid_t uid;	 /* who asks */
	bool sees_all;	 /* may have other users' processes */
	bool is_for_all; /* every process that @uid may see; else @pids */
	bool awaits;	 /* the process is about to exec its Python */
	pid_t pids[SESSION_MAX_PIDS];
	unsigned int pid_count;
	unsigned int hz;
	uint64_t length_ns; /* 0: until it is stopped or its processes have ended */
	enum tally_mode mode;
};

/* A process of the session, whatever it execs: pid and start time name it. */
struct session_target {
	struct process *image; /* a reference: what it ran at the start */
	bool has_ended;
};

struct session {
	unsigned int id;
	struct session_request request;
	struct session_target targets[SESSION_MAX_PIDS];
	unsigned int target_count;
	struct tally *tally;
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC; end 0: open */
	uint64_t start_unix_ns;
	uint64_t refused; /* samples that the tally had no room for */
	struct collector_counts before;
};

struct session *session_new(unsigned int id, const struct session_request *r,
			    const struct collector_counts *now);
void session_free(struct session *s); /* NULL is fine */
DEFINE_OWNS(session);

/* Counts the sample if it is the session's: of its processes and of its time. */
void session_take(struct session *s, struct process *p, const struct sp_sample *sample);

/* One more process to record; it had its present image at the start. */
void session_add_target(struct session *s, struct process *p);

/* A process ended, by whatever we learnt of it. */
void session_on_exit(struct session *s, const struct process *p);

/* No process is left that could bring samples. Never so of a session for all. */
bool session_is_over(struct session *s);

/* The pprof of a session that has ended. 0 or -errno. */
int session_finish(struct session *s, const struct collector_counts *now, struct buffer *pprof);

#endif
