/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/recorder.h"

#include "base/clock.h"
#include "daemon/sampler.h"
#include "export/exporter.h"
#include "spprof_api.h"

#include <errno.h>
#include <malloc.h>
#include <string.h>

#define LIVENESS_NS 500000000ull /* between two looks whether the targets still run */

struct recording {
	struct watcher watcher; /* first: a watcher is its recording */
	struct recorder *recorder;
	struct sampler *sampler;
	struct session *session;
	struct call *call;
	sd_event_source *timer;
	uint64_t next_look_ns; /* CLOCK_MONOTONIC */
	struct recording *next;
};

struct recorder {
	struct recording *recordings;
	struct tally_budget budget;
	unsigned int last_id;
	void (*began)(struct call *c, unsigned int session_id);
};

struct recorder *recorder_new(void (*began)(struct call *c, unsigned int session_id))
{
	struct recorder *r = calloc(1, sizeof(*r));

	if (r)
		r->began = began;
	return r;
}

static void recording_free(struct recording *rec)
{
	struct recording **at = &rec->recorder->recordings;

	while (*at && *at != rec)
		at = &(*at)->next;
	if (*at)
		*at = rec->next;
	sampler_unwatch(rec->sampler, &rec->watcher);
	sd_event_source_disable_unref(rec->timer);
	if (rec->call->session.awaits)
		process_table_release(sampler_processes(rec->sampler),
				      rec->call->session.selection.pids[0]);
	session_free(rec->session);
	if (!rec->recorder->recordings)
		malloc_trim(0); /* it may have held much that nobody else needs */
	free(rec);
}

static void answer_pprof(struct call *c, const struct profile *p)
{
	static const struct export_options plain;
	int err = export_pprof.write(p, &plain, &c->bytes);

	if (err)
		call_fail(c, SPPROF_EXIT_FAILED, "cannot write the profile: %s", strerror(-err));
	call_return(c);
}

/* What was taken until now is in the profile: the ring is drained first. */
static void finish(struct recording *rec)
{
	OWNS(profile) struct profile *p = NULL;
	struct sampler *s = rec->sampler;
	struct call *c = rec->call;
	struct collector_counts counts = { 0 };
	int err;

	session_end(rec->session);
	sampler_drain(s);
	err = sampler_read_counts(s, &counts);
	if (!err)
		err = session_finish(rec->session, &counts, sampler_rates(s), &p);
	recording_free(rec);
	if (!err && c->take_profile)
		return c->take_profile(c, s, TAKE(p));
	if (!err)
		return answer_pprof(c, p);
	call_fail(c, SPPROF_EXIT_FAILED, "cannot make the profile: %s", strerror(-err));
	call_return(c);
}

void recorder_free(struct recorder *r)
{
	if (!r)
		return;
	while (r->recordings)
		finish(r->recordings);
	free(r);
}

static void on_sample(struct watcher *w, struct sampled *x)
{
	session_take(((struct recording *)w)->session, x);
}

static void on_exit_of(struct watcher *w, const struct process *p)
{
	struct recording *rec = (struct recording *)w;

	session_on_exit(rec->session, p);
	rec->next_look_ns = 0;
}

static void on_turn(struct watcher *w)
{
	struct recording *rec = (struct recording *)w;
	uint64_t now = monotonic_ns();

	if (now < rec->next_look_ns)
		return;
	rec->next_look_ns = now + LIVENESS_NS;
	if (session_is_over(rec->session))
		finish(rec);
}

static int on_time(sd_event_source *source, uint64_t usec, void *userdata)
{
	(void)source;
	(void)usec;
	finish(userdata);
	return 0;
}

/* Finds the processes asked for; false if one cannot be recorded. */
static bool add_targets(struct call *c, struct sampler *s, struct session *session)
{
	const struct selection *whose = &c->session.selection;

	for (unsigned int i = 0; whose->kind == SELECT_PIDS && i < whose->pid_count; i++) {
		struct process *p = call_process(c, s, whose->pids[i]);

		if (!p)
			return false;
		if (c->session.awaits)
			p = process_table_await(sampler_processes(s), whose->pids[i]);
		if (!p) {
			call_fail(c, SPPROF_EXIT_NO_TARGET, "process %d has ended", whose->pids[i]);
			return false;
		}
		session_add_target(session, p);
	}
	return true;
}

static int start_timer(struct recording *rec)
{
	uint64_t length = rec->session->request.length_ns;

	if (!length)
		return 0;
	return sd_event_add_time(sampler_loop(rec->sampler), &rec->timer, CLOCK_MONOTONIC,
				 (rec->session->start_ns + length) / 1000, 1000, on_time, rec);
}

static struct recording *recording_new(struct recorder *r, struct call *c, struct sampler *s)
{
	struct recording *rec = calloc(1, sizeof(*rec));

	if (!rec)
		return NULL;
	rec->watcher = (struct watcher){ .hz = c->session.hz,
					 .on_sample = on_sample,
					 .on_exit = on_exit_of,
					 .on_turn = on_turn };
	rec->recorder = r;
	rec->sampler = s;
	rec->call = c;
	return rec;
}

/* Each recording may hold much memory: one user must not have all of it. */
static bool is_one_too_many(const struct recorder *r, struct call *c)
{
	const struct selection *whose = &c->session.selection;
	unsigned int running = 0;

	for (const struct recording *rec = r->recordings; rec; rec = rec->next)
		running += rec->session->request.selection.uid == whose->uid;
	if (whose->sees_all || running < c->session.most_recordings)
		return false;
	call_fail(c, SPPROF_EXIT_DENIED, "you have %u recordings running, and may not have more",
		  running);
	return true;
}

/* 0, or -errno, or 1: the call has its error. */
static int begin(struct recorder *r, struct recording *rec)
{
	struct collector_counts counts;
	struct call *c = rec->call;
	int err = sampler_read_counts(rec->sampler, &counts);

	if (err)
		return err;
	r->budget.most = c->session.recording_bytes;
	if (is_one_too_many(r, c))
		return 1;
	rec->session = session_new(++r->last_id, &c->session, &counts, &r->budget);
	if (!rec->session)
		return -ENOMEM;
	if (!add_targets(c, rec->sampler, rec->session))
		return 1;
	err = sampler_watch(rec->sampler, &rec->watcher);
	if (err)
		return err;
	session_begin(rec->session);
	err = start_timer(rec);
	return err < 0 ? err : 0;
}

void recorder_start(struct recorder *r, struct call *c, struct sampler *s)
{
	struct recording *rec = recording_new(r, c, s);
	int err = rec ? begin(r, rec) : -ENOMEM;

	if (err < 0)
		call_fail(c, SPPROF_EXIT_FAILED, "cannot start the clock: %s", strerror(-err));
	if (err) {
		if (rec)
			recording_free(rec);
		return call_return(c);
	}
	rec->next = r->recordings;
	r->recordings = rec;
	c->session_id = rec->session->id;
	r->began(c, rec->session->id);
}

static struct recording *find(struct recorder *r, unsigned int id)
{
	struct recording *rec = r->recordings;

	while (rec && rec->session->id != id)
		rec = rec->next;
	return rec;
}

void recorder_stop(struct recorder *r, struct call *c, struct sampler *s)
{
	struct recording *rec = find(r, c->session_id);

	(void)s;
	if (!rec)
		call_fail(c, SPPROF_EXIT_NO_TARGET, "no recording %u is running", c->session_id);
	else if (!c->sees_all && rec->session->request.selection.uid != c->uid)
		call_fail(c, SPPROF_EXIT_DENIED, "recording %u is another user's", c->session_id);
	else
		finish(rec);
	call_return(c);
}

void recorder_abandon(struct recorder *r, unsigned int session_id)
{
	struct recording *rec = find(r, session_id);
	struct call *c;

	if (!rec)
		return; /* it ended meanwhile: its call is on its way back */
	c = rec->call;
	recording_free(rec);
	call_return(c);
}
