/* SPDX-License-Identifier: Apache-2.0 */
/* What time brings: windows that are over, caps, scans, and the kernel's filter that fills up. */
#include "daemon/heap_sessions_parts.h"

#include "base/clock.h"
#include "base/procfs.h"
#include "collect/heap_probes.h"
#include "daemon/sampler.h"

#define TURN_NS 250000000ull /* as often as there is a session */
#define SECOND_NS 1000000000ull

struct heap_reading heap_seat_reading(struct heap_seat *seat, uint64_t now_ns)
{
	struct heap_reading at = { .now_ns = now_ns };
	clockid_t clock;

	heap_seat_read(seat);
	at.counts = seat->session.counts;
	at.cpu_ns = seat->session.overhead.last.cpu_ns;
	if (!clock_getcpuclockid(seat->session.pid, &clock))
		at.cpu_ns = clock_ns(clock);
	return at;
}

/* Its end may have been told by a record that found the ring full. */
static bool is_there(const struct heap_session *s)
{
	struct proc_stat now;

	return !proc_stat_read(s->pid, 0, &now) && now.start_ticks == s->start_ticks;
}

static void end_over_cap(struct heap_seat *seat)
{
	struct heap_session *s = &seat->session;
	char why[128];

	if (s->tier == HEAP_TIER_GROWTH && s->state == HEAP_SESSION_ACTIVE &&
	    heap_session_drop_libc(s)) {
		heap_session_warn(
			s,
			"it cost %.0f %% of the process's time, more than %u %%: the C "
			"library's probes were taken out, and large blocks are as of then",
			s->overhead.percent, s->request.max_overhead);
		s->overhead.strikes = 0;
		return;
	}
	snprintf(why, sizeof(why), "it cost %.0f %% of the process's time, more than %u %%",
		 s->overhead.percent, s->request.max_overhead);
	heap_seat_end(seat, why);
}

/* Once a second. */
static void look_after(struct heap_seat *seat, uint64_t now)
{
	struct heap_session *s = &seat->session;
	struct heap_reading at;

	if (seat->is_leaving || s->is_gone || s->state == HEAP_SESSION_ATTACHING)
		return;
	if (!is_there(s))
		return heap_seat_gone(seat, "the process has ended");
	if (s->state != HEAP_SESSION_ACTIVE && s->state != HEAP_SESSION_STOPPED)
		return;
	at = heap_seat_reading(seat, now);
	if (s->attached != s->wanted) {
		/* Some are on their way out, which takes seconds: what they cost is decided on. */
		heap_overhead_forgive(&s->overhead, &at);
		return;
	}
	if (heap_overhead_take(&s->overhead, &s->costs, &at, s->request.max_overhead) ==
	    HEAP_OVER_CAP)
		end_over_cap(seat);
}

/* Its probes come before its scans. May release it. */
static void do_what_is_due(struct heap_seat *seat, uint64_t now)
{
	enum heap_session_due due = HEAP_DUE_NOTHING;
	const char *why = NULL;

	if (!seat->is_leaving)
		due = heap_session_due(&seat->session, now, &why);
	if (due == HEAP_DUE_STOP)
		heap_seat_stop(seat, why);
	else if (due == HEAP_DUE_END)
		heap_seat_end(seat, why);
	else if (due == HEAP_DUE_FORGET)
		heap_seat_forget(seat);
	if (due == HEAP_DUE_SCAN && !seat->work.is_away &&
	    seat->session.attached == seat->session.wanted)
		heap_work_post(&seat->work, HEAP_WORK_SCAN);
	else
		heap_seat_tend(seat);
}

static void keep(void *ctx, uint32_t n, uint64_t address)
{
	struct heap_sessions *h = ctx;
	const struct heap_seat *seat = n < SP_HEAP_SESSIONS ? h->seats[n] : NULL;

	if (seat && (seat->session.state == HEAP_SESSION_ACTIVE ||
		     seat->session.state == HEAP_SESSION_STOPPED))
		heap_probes_filter_keep(h->bench.collector, seat->session.pid, address);
}

/* What is sampled while it is made again comes into both: see collect/heap_probes.h. */
static void renew_filter(struct heap_sessions *h)
{
	struct collector *c = h->bench.collector;

	if (!heap_probes_filter_is_full(c) || heap_probes_filter_begin(c))
		return;
	sampler_drain(h->bench.sampler);
	heap_tracker_each_live(h->tracker, keep, h);
	heap_probes_filter_end(c);
}

uint64_t heap_sessions_turn(struct heap_sessions *h, uint64_t now_ns)
{
	bool is_second = now_ns >= h->next_second_ns;
	bool has_any = false;

	if (atomic_load(&h->bench.is_ending))
		return UINT64_MAX;
	for (unsigned int i = 0; i < SP_HEAP_SESSIONS; i++) {
		if (!h->seats[i])
			continue;
		has_any = true;
		if (is_second)
			look_after(h->seats[i], now_ns);
		do_what_is_due(h->seats[i], now_ns);
	}
	if (has_any && is_second) {
		h->next_second_ns = now_ns + SECOND_NS;
		renew_filter(h);
		heap_tracker_maintain(h->tracker);
	}
	return has_any ? now_ns + TURN_NS : UINT64_MAX;
}
