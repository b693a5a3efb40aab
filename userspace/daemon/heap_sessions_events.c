/* SPDX-License-Identifier: Apache-2.0 */
/* What the ring brings. A record may not drain it, so nobody is released here: the turn does that. */
#include "daemon/heap_sessions_parts.h"

#include "base/clock.h"
#include "daemon/heap_status.h"
#include "daemon/sampler.h"

#include <string.h>

#define CLONES_A_SECOND 4 /* each is a walk over the whole heap map */
#define SECOND_NS 1000000000ull

/* Records of a session that is over are nobody's. */
static struct heap_seat *seat_of(struct heap_sessions *h, uint32_t number, pid_t pid)
{
	struct heap_seat *seat = number < SP_HEAP_SESSIONS ? h->seats[number] : NULL;

	if (!seat || !seat->is_tracked || seat->session.pid != pid)
		return NULL;
	return seat->session.state == HEAP_SESSION_ACTIVE ||
			       seat->session.state == HEAP_SESSION_STOPPED
		       ? seat
		       : NULL;
}

void heap_sessions_on_alloc(struct heap_sessions *h, const struct sp_alloc *a, struct sampled *x)
{
	struct heap_seat *seat = seat_of(h, a->session, a->head.pid);

	if (!seat || seat->session.epoch != x->process->epoch)
		return;
	if (a->head.kind == SP_EVENT_REFILL)
		heap_tracker_refilled(h->tracker, a, x);
	else
		heap_tracker_allocated(h->tracker, a, x);
}

void heap_sessions_on_free(struct heap_sessions *h, const struct sp_free *f)
{
	if (seat_of(h, f->session, f->head.pid))
		heap_tracker_freed(h->tracker, f);
}

void heap_seat_gone(struct heap_seat *seat, const char *reason)
{
	bool is_told = seat->session.state != HEAP_SESSION_ATTACHING &&
		       seat->session.state != HEAP_SESSION_INHERITED;

	heap_seat_end(seat, reason);
	heap_seat_untrack(seat);
	seat->session.is_gone = true;
	if (!is_told)
		heap_seat_forget(seat);
}

static struct heap_seat *seat_of_process(struct heap_sessions *h, pid_t pid)
{
	for (unsigned int i = 0; i < SP_HEAP_SESSIONS; i++) {
		struct heap_seat *seat = h->seats[i];

		if (seat && !seat->is_leaving && !seat->session.is_gone && seat->session.pid == pid)
			return seat;
	}
	return NULL;
}

static bool may_clone(struct heap_sessions *h, uint64_t now)
{
	if (now - h->clones_since_ns >= SECOND_NS) {
		h->clones_since_ns = now;
		h->clones = 0;
	}
	return h->clones++ < CLONES_A_SECOND;
}

/* Its breakpoints are copies of its parent's that run nothing of ours. */
static bool inherit(struct heap_sessions *h, const struct heap_seat *parent, struct process *p)
{
	uint64_t now = monotonic_ns();
	struct heap_seat *seat;
	struct heap_session *s;

	seat = may_clone(h, now) ? heap_seat_new(h, p->pid, HEAP_SEAT_IF_FREE) : NULL;
	if (!seat)
		return false;
	s = &seat->session;
	s->state = HEAP_SESSION_INHERITED;
	s->epoch = p->epoch;
	s->start_ticks = p->start_ticks;
	s->uid = p->uid;
	memcpy(s->name, p->name, sizeof(s->name));
	s->tier = parent->session.tier;
	s->request = parent->session.request;
	s->request.seconds = 0;
	s->costs = parent->session.costs;
	s->begun_ns = now;
	s->unix_ns = unix_ns();
	snprintf(s->reason, sizeof(s->reason),
		 "it is a fork of process %d and has what that had: what is freed in it is not "
		 "seen",
		 parent->session.pid);
	seat->is_tracked = !heap_tracker_forked(h->tracker, parent->session.number, s->number, now);
	seat->is_leaving = !seat->is_tracked;
	return seat->is_tracked;
}

static void on_fork(struct heap_sessions *h, const struct sp_process *event)
{
	struct heap_seat *parent = seat_of_process(h, event->parent);
	struct process *child;

	if (!parent || !parent->is_tracked ||
	    !heap_tracker_load(h->tracker, parent->session.number).live_samples)
		return;
	child = process_table_find(sampler_processes(h->bench.sampler), event->head.pid,
				   event->epoch);
	if (!child || !inherit(h, parent, child))
		parent->session.children_not_cloned++;
}

void heap_sessions_on_process(struct heap_sessions *h, const struct sp_process *event)
{
	struct heap_seat *seat = seat_of_process(h, event->head.pid);

	if (event->head.kind == SP_EVENT_FORK)
		on_fork(h, event);
	else if (seat && event->head.kind == SP_EVENT_EXEC)
		heap_seat_gone(seat, "the process has executed another program");
	else if (seat && event->head.kind == SP_EVENT_EXIT && seat->session.epoch == event->epoch)
		heap_seat_gone(seat, "the process has ended");
}

struct heap_seen *heap_sessions_see(struct heap_sessions *h, const struct process *p)
{
	struct heap_seat *seat = heap_seat_find(h, p->pid, p->epoch);

	if (!seat || !seat->is_tracked)
		return NULL;
	return heap_tracker_see(h->tracker, seat->session.number, monotonic_ns());
}

json_t *heap_sessions_describe(struct heap_sessions *h, const struct process *p)
{
	struct heap_seat *seat = heap_seat_find(h, p->pid, p->epoch);

	if (!seat)
		return json_null();
	heap_seat_read(seat);
	return heap_status_json(&seat->session, monotonic_ns());
}
