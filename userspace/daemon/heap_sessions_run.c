/* SPDX-License-Identifier: Apache-2.0 */
/* What is done to a session, and what the worker is asked to do for it. */
#include "daemon/heap_sessions_parts.h"

#include "base/clock.h"
#include "collect/heap_probes.h"
#include "daemon/call.h"
#include "daemon/heap_status.h"
#include "daemon/sampler.h"
#include "spprof_api.h"

#include <errno.h>
#include <string.h>

void heap_seat_read(struct heap_seat *seat)
{
	struct heap_session *s = &seat->session;
	struct sp_heap_counts counts;

	if ((s->state == HEAP_SESSION_ACTIVE || s->state == HEAP_SESSION_STOPPED) &&
	    !heap_probes_counts(seat->owner->bench.collector, s->number, &counts)) {
		s->counts = counts;
		s->counts.lost[SP_HEAP_LOST_NO_RETURN] += s->unreturned;
	}
	if (seat->is_tracked)
		s->load = heap_tracker_load(seat->owner->tracker, s->number);
	if (s->load.untold)
		heap_session_warn(s, "there was no room for every stack: some of what was sampled "
				     "is told without its own, or is missing in sums");
}

void heap_seat_untrack(struct heap_seat *seat)
{
	if (seat->is_tracked)
		heap_tracker_end(seat->owner->tracker, seat->session.number, monotonic_ns());
	seat->is_tracked = false;
}

void heap_seat_answer(struct heap_seat *seat, struct call *c)
{
	heap_seat_read(seat);
	if (!c->json)
		c->json = heap_status_json(&seat->session, monotonic_ns());
	if (!c->json)
		call_fail(c, SPPROF_EXIT_FAILED, "out of memory");
	call_return(c);
}

static void answer_stoppers(struct heap_seat *seat)
{
	struct call *next;

	for (struct call *c = TAKE(seat->stoppers); c; c = next) {
		next = c->next;
		heap_seat_answer(seat, c);
	}
}

/* As its state says: with a rate of 0 nothing is sampled, and frees are still seen. */
int heap_seat_follow(struct heap_seat *seat)
{
	const struct heap_session *s = &seat->session;
	const struct sp_heap_target target = {
		.session = s->number,
		.rate = s->state == HEAP_SESSION_ACTIVE ? s->request.rate : 0,
	};

	return heap_probes_follow(seat->owner->bench.collector, s->pid, &target);
}

void heap_seat_stop(struct heap_seat *seat, const char *reason)
{
	struct heap_session *s = &seat->session;
	uint64_t now = monotonic_ns();
	const struct heap_reading at = heap_seat_reading(seat, now);

	/* What it cost to sample is not held against what only sees frees. */
	heap_overhead_forgive(&s->overhead, &at);
	heap_session_stop(s, now, reason);
	(void)heap_seat_follow(seat);
	heap_tracker_stop(seat->owner->tracker, s->number, now);
	atomic_store(&seat->work.is_cancelled, true);
}

void heap_seat_end(struct heap_seat *seat, const char *reason)
{
	struct heap_session *s = &seat->session;
	bool was_followed = s->state == HEAP_SESSION_ACTIVE || s->state == HEAP_SESSION_STOPPED;
	uint64_t now = monotonic_ns();

	if (s->state == HEAP_SESSION_ENDED)
		return;
	if (was_followed)
		heap_probes_unfollow(seat->owner->bench.collector, s->pid);
	heap_seat_read(seat);
	if (seat->is_tracked)
		heap_tracker_stop(seat->owner->tracker, s->number, now);
	heap_session_end(s, now, reason);
	atomic_store(&seat->work.is_cancelled, true);
}

/* --- what the worker does --- */

/* Whether the probes of an earlier session of the same process are still to be taken out. */
static bool has_predecessor(const struct heap_seat *seat)
{
	for (unsigned int i = 0; i < SP_HEAP_SESSIONS; i++) {
		const struct heap_seat *other = seat->owner->seats[i];

		if (other && other != seat && other->is_leaving &&
		    other->session.pid == seat->session.pid)
			return true;
	}
	return false;
}

void heap_seat_fail(struct heap_seat *seat, int exit, const char *message)
{
	struct call *c = TAKE(seat->starter);

	if (!c)
		return;
	call_fail(c, exit, "%s", message);
	call_return(c);
}

/* Nothing is begun any more: its probes are taken out when the daemon is at its end. */
static void tend_at_the_end(struct heap_seat *seat)
{
	heap_seat_fail(seat, SPPROF_EXIT_FAILED, "spprofd is ending and follows no heaps any more");
	answer_stoppers(seat);
}

void heap_seat_tend(struct heap_seat *seat)
{
	struct heap_session *s = &seat->session;
	struct heap_work *w = &seat->work;

	if (w->is_away)
		return;
	if (atomic_load(&seat->owner->bench.is_ending))
		return tend_at_the_end(seat);
	if (s->state == HEAP_SESSION_ATTACHING) {
		if (!has_predecessor(seat))
			heap_work_post(w, HEAP_WORK_ATTACH);
		return;
	}
	w->going = s->attached & ~s->wanted;
	if (w->going)
		return heap_work_post(w, HEAP_WORK_DETACH);
	heap_seat_fail(
		seat, SPPROF_EXIT_NO_TARGET,
		"the process has ended, or executed another program, before it was followed");
	answer_stoppers(seat);
	if (seat->is_leaving)
		heap_seat_release(seat);
}
