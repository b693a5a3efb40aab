/* SPDX-License-Identifier: Apache-2.0 */
/* The calls: who may have a session, who has one already, and what they are told. */
#include "daemon/heap_sessions_parts.h"

#include "base/clock.h"
#include "daemon/call.h"
#include "daemon/heap_status.h"
#include "daemon/sampler.h"
#include "spprof_api.h"

#include <string.h>

static bool is_running(const struct heap_seat *seat)
{
	return seat->session.state == HEAP_SESSION_ATTACHING ||
	       seat->session.state == HEAP_SESSION_ACTIVE;
}

static void fail_followed(struct call *c, const struct heap_session *s)
{
	if (s->state == HEAP_SESSION_ATTACHING)
		return call_fail(c, SPPROF_EXIT_FAILED,
				 "probes are being put into process %d (%s) already: `spprofctl "
				 "heap status --pid %d` shows them in a moment",
				 s->pid, s->name, s->pid);
	call_fail(c, SPPROF_EXIT_FAILED,
		  "the heap of process %d (%s) is followed already, by tier %s: `spprofctl heap "
		  "stop --pid %d` ends that",
		  s->pid, s->name, heap_tier_name(s->tier), s->pid);
}

static unsigned int sessions_of(const struct heap_sessions *h, uid_t uid)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < SP_HEAP_SESSIONS; i++) {
		const struct heap_seat *seat = h->seats[i];

		count += seat && seat->session.uid == uid && !seat->is_leaving && is_running(seat);
	}
	return count;
}

/* Whether there is no room for one more of that user. */
static bool is_one_too_many(const struct heap_sessions *h, const struct call *c)
{
	return !c->sees_all && sessions_of(h, c->uid) >= c->session.most_recordings;
}

/* Whether there is no session to be had; the error of @c is set then. */
static bool is_refused(struct heap_sessions *h, struct call *c, const struct heap_subject *subject)
{
	struct heap_seat *seat = heap_seat_find(h, subject->pid, subject->epoch);

	if (atomic_load(&h->bench.is_ending))
		call_fail(c, SPPROF_EXIT_FAILED, "spprofd is ending and follows no heaps any more");
	else if (seat && is_running(seat))
		fail_followed(c, &seat->session);
	else if (is_one_too_many(h, c))
		call_fail(c, SPPROF_EXIT_DENIED,
			  "you follow %u heaps already, and may not follow more",
			  c->session.most_recordings);
	else
		return false;
	return true;
}

/* What an earlier session of the process has left goes first. NULL: the error of @c is set. */
static struct heap_seat *take_seat(struct heap_sessions *h, struct call *c,
				   const struct heap_subject *subject)
{
	struct heap_seat *seat = heap_seat_find(h, subject->pid, subject->epoch);

	if (seat) {
		heap_seat_forget(seat);
		heap_seat_tend(seat);
	}
	seat = heap_seat_new(h, subject->pid, HEAP_SEAT_BY_RIGHT);
	if (!seat)
		call_fail(c, SPPROF_EXIT_FAILED,
			  "the heap of process %d (%s) cannot be followed: %d others are, which "
			  "is the most, or spprofd is out of memory",
			  subject->pid, subject->name, SP_HEAP_SESSIONS);
	return seat;
}

/* @subject is the seat's from now on. */
static void sit_down(struct heap_seat *seat, struct call *c, const struct heap_subject *subject)
{
	struct heap_session *s = &seat->session;

	s->state = HEAP_SESSION_ATTACHING;
	s->epoch = subject->epoch;
	s->start_ticks = subject->start_ticks;
	s->uid = subject->uid;
	memcpy(s->name, subject->name, sizeof(s->name));
	s->request = c->heap_request;
	s->tier = s->request.tier == HEAP_ASK_TRACE ? HEAP_TIER_TRACE : HEAP_TIER_GROWTH;
	seat->work.asked = s->request.tier;
	seat->work.subject = *subject;
	heap_subject_forget_session(&seat->work.subject);
	seat->starter = c;
}

void heap_sessions_start(struct heap_sessions *h, struct call *c)
{
	struct heap_subject subject = { .image = -1 };
	struct heap_seat *seat = NULL;

	heap_subject_find(&subject, c, h->bench.sampler);
	if (!c->exit && !is_refused(h, c, &subject))
		seat = take_seat(h, c, &subject);
	if (!seat) {
		heap_subject_fini(&subject);
		return call_return(c);
	}
	sit_down(seat, c, &subject);
	heap_seat_tend(seat);
}

static void wait_for(struct heap_seat *seat, struct call *c)
{
	c->next = seat->stoppers;
	seat->stoppers = c;
}

/* Ends with a second word: the first leaves what sees frees, so that these are no leak. */
static void stop(struct heap_seat *seat, struct call *c)
{
	struct heap_session *s = &seat->session;

	if (s->state == HEAP_SESSION_ACTIVE && !c->heap_request.discards) {
		heap_seat_stop(seat, "it was told to stop");
	} else if (s->state != HEAP_SESSION_ATTACHING) {
		heap_seat_end(seat, "it was told to end");
		c->json = heap_status_json(s, monotonic_ns());
		heap_seat_forget(seat);
	}
	wait_for(seat, c);
	heap_seat_tend(seat);
}

void heap_sessions_stop(struct heap_sessions *h, struct call *c)
{
	struct sampler *sampler = h->bench.sampler;
	struct heap_seat *seat = NULL;
	struct process *p;

	sampler_drain(sampler);
	p = call_process(c, sampler, c->pid);
	if (p)
		seat = heap_seat_find(h, p->pid, p->epoch);
	if (seat && !atomic_load(&h->bench.is_ending))
		return stop(seat, c);
	if (p && atomic_load(&h->bench.is_ending))
		call_fail(c, SPPROF_EXIT_FAILED, "spprofd is ending, and every session with it");
	else if (p)
		call_fail(c, SPPROF_EXIT_FAILED,
			  "the heap of process %d (%s) is not followed: `spprofctl heap start "
			  "--pid %d` does that",
			  p->pid, p->name, p->pid);
	call_return(c);
}

static bool is_told(const struct heap_seat *seat, const struct call *c)
{
	return seat && !seat->is_leaving && (c->sees_all || seat->session.uid == c->uid) &&
	       (!c->pid || seat->session.pid == c->pid);
}

/* c->pid 0: of all that the caller may see. */
void heap_sessions_status(struct heap_sessions *h, struct call *c)
{
	uint64_t now = monotonic_ns();
	json_t *rows = json_array();
	int err = 0;

	sampler_drain(h->bench.sampler);
	for (unsigned int i = 0; i < SP_HEAP_SESSIONS; i++) {
		struct heap_seat *seat = h->seats[i];

		if (!is_told(seat, c))
			continue;
		heap_seat_read(seat);
		err |= json_array_append_new(rows, heap_status_json(&seat->session, now));
	}
	c->json = json_pack("{so}", "sessions", rows);
	if (!c->json || err)
		call_fail(c, SPPROF_EXIT_FAILED, "out of memory");
	call_return(c);
}
