/* SPDX-License-Identifier: Apache-2.0 */
/* What the worker brings back of a session. */
#include "daemon/heap_sessions_parts.h"

#include "base/clock.h"
#include "collect/heap_probes.h"
#include "daemon/call.h"
#include "daemon/sampler.h"
#include "spprof_api.h"

#include <string.h>

static void take_sites(struct heap_session *s, const struct heap_work *w)
{
	s->tier = w->tier;
	s->costs = w->costs;
	s->site_count = w->sites.count < HEAP_SITES_MOST ? w->sites.count : HEAP_SITES_MOST;
	memcpy(s->sites, w->sites.site, s->site_count * sizeof(s->sites[0]));
	for (uint32_t i = 0; i < s->site_count; i++)
		s->attached |= 1u << i;
	s->wanted = s->attached;
	if (w->fallback)
		heap_session_warn(s, "it is a trace, as there is no growth: %s", w->fallback);
	if (w->sites.without)
		heap_session_warn(s, "%s", w->sites.without);
}

/* All probes are there, and from here on they bring something. */
static int begin(struct heap_seat *seat)
{
	struct heap_sessions *h = seat->owner;
	struct heap_session *s = &seat->session;
	uint64_t now = monotonic_ns();
	struct heap_reading at;
	int err = heap_tracker_begin(h->tracker, s->number, s->tier, now);

	if (err)
		return err;
	seat->is_tracked = true;
	if (seat->work.sites.are_frees_inlined)
		heap_tracker_misses_frees(h->tracker, s->number);
	heap_session_begin(s, now, unix_ns());
	err = heap_probes_reset_counts(h->bench.collector, s->number);
	if (!err)
		err = heap_seat_follow(seat);
	if (err)
		return err;
	at = heap_seat_reading(seat, now);
	heap_overhead_begin(&s->overhead, &at);
	sampler_turn_soon(h->bench.sampler);
	return 0;
}

/* Those who came to stop what was not there yet: now they can be heard. */
static void hear_stoppers(struct heap_seat *seat)
{
	struct heap_sessions *h = seat->owner;
	struct call *next;

	for (struct call *c = TAKE(seat->stoppers); c; c = next) {
		next = c->next;
		heap_sessions_stop(h, c);
	}
}

/* What is given up is so because of the daemon's end, or the process's. */
static void on_failed(struct heap_seat *seat)
{
	if (atomic_load(&seat->owner->bench.is_ending))
		return heap_seat_tend(seat);
	heap_seat_fail(seat, seat->work.exit, seat->work.message);
	seat->is_leaving = true;
	hear_stoppers(seat);
	heap_seat_release(seat);
}

/* A process may have ended meanwhile, or the daemon may be about to. */
static void on_attached(struct heap_seat *seat)
{
	if (seat->work.exit)
		return on_failed(seat);
	take_sites(&seat->session, &seat->work);
	if (atomic_load(&seat->owner->bench.is_ending))
		return heap_seat_tend(seat);
	if (!seat->is_leaving && begin(seat)) {
		heap_seat_fail(seat, SPPROF_EXIT_FAILED, "spprofd is out of memory for a session");
		heap_seat_forget(seat);
	}
	if (seat->is_leaving) {
		seat->session.wanted = 0;
		return heap_seat_tend(seat);
	}
	heap_work_post(&seat->work, HEAP_WORK_SCAN);
	hear_stoppers(seat);
}

/* Who started it is answered when its first scan is there: what comes after it counts as change. */
static void on_scanned(struct heap_seat *seat)
{
	struct heap_sessions *h = seat->owner;
	struct heap_session *s = &seat->session;
	struct heap_work *w = &seat->work;

	if (!w->exit)
		sampler_drain(h->bench.sampler);
	if (s->state == HEAP_SESSION_ACTIVE && w->exit)
		heap_session_warn(s, "a scan of its heap failed: %s", w->message);
	else if (s->state == HEAP_SESSION_ACTIVE &&
		 heap_tracker_scanned(h->tracker, s->number, w->begin_ns, &w->census))
		heap_session_warn(s, "a scan of its heap was lost: out of memory");
	else
		s->scans++;
	heap_census_fini(&w->census);
	w->census = (struct heap_census){ 0 };
	heap_session_pace(s, monotonic_ns(), w->took_ns);
	if (seat->starter)
		heap_seat_answer(seat, TAKE(seat->starter));
	heap_seat_tend(seat);
}

/* A call that was under way when the probe of its return went is never seen to return. */
static void on_detached(struct heap_seat *seat)
{
	struct heap_session *s = &seat->session;

	s->attached &= ~seat->work.going;
	if (s->attached == s->wanted) {
		sampler_drain(seat->owner->bench.sampler);
		heap_seat_read(seat);
		heap_session_settle(s);
	}
	heap_seat_tend(seat);
}

void heap_seat_on_work(struct heap_work *w)
{
	struct heap_seat *seat = w->ctx;

	if (w->kind == HEAP_WORK_ATTACH)
		return on_attached(seat);
	if (w->kind == HEAP_WORK_SCAN)
		return on_scanned(seat);
	on_detached(seat);
}
