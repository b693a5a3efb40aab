/* SPDX-License-Identifier: Apache-2.0 */
/* The table of sessions. */
#include "daemon/heap_sessions_parts.h"

#include "base/clock.h"
#include "collect/heap_probes.h"
#include "daemon/sampler.h"
#include "daemon/service.h"

struct heap_sessions *heap_sessions_new(struct sampler *s, struct collector *c, struct worker *w,
					int opener)
{
	struct heap_sessions *h = calloc(1, sizeof(*h));

	if (h)
		h->bench = (struct heap_bench){
			.collector = c, .sampler = s, .worker = w, .opener = opener
		};
	return h;
}

static void seat_free(struct heap_seat *seat)
{
	if (!seat)
		return;
	heap_work_fini(&seat->work);
	free(seat);
}

void heap_sessions_end(struct heap_sessions *h)
{
	atomic_store(&h->bench.is_ending, true);
	for (unsigned int i = 0; i < SP_HEAP_SESSIONS; i++) {
		if (!h->seats[i])
			continue;
		atomic_store(&h->seats[i]->work.is_cancelled, true);
		heap_seat_tend(h->seats[i]);
	}
}

void heap_sessions_free(struct heap_sessions *h)
{
	if (!h)
		return;
	for (unsigned int i = 0; i < SP_HEAP_SESSIONS; i++)
		if (h->seats[i])
			heap_probes_unfollow(h->bench.collector, h->seats[i]->session.pid);
	for (unsigned int i = 0; i < SP_HEAP_SESSIONS; i++) {
		if (h->seats[i] && h->seats[i]->session.attached)
			service_need_time();
		seat_free(TAKE(h->seats[i]));
	}
	heap_bench_fini(&h->bench);
	heap_tracker_free(h->tracker);
	free(h);
}

struct heap_seat *heap_seat_find(struct heap_sessions *h, pid_t pid, uint32_t epoch)
{
	for (unsigned int i = 0; i < SP_HEAP_SESSIONS; i++) {
		struct heap_seat *seat = h->seats[i];

		if (seat && !seat->is_leaving && seat->session.pid == pid &&
		    seat->session.epoch == epoch)
			return seat;
	}
	return NULL;
}

/* Whether nothing is lost for good but what was, and it can go at once. */
static bool can_give_way(const struct heap_seat *seat)
{
	const struct heap_session *s = &seat->session;

	return (s->state == HEAP_SESSION_ENDED || s->state == HEAP_SESSION_INHERITED) &&
	       !s->attached && !seat->work.is_away && !seat->is_leaving;
}

static uint64_t rests_since(const struct heap_session *s)
{
	return s->state == HEAP_SESSION_ENDED ? s->ended_ns : s->begun_ns;
}

void heap_seat_release(struct heap_seat *seat)
{
	struct heap_sessions *h = seat->owner;
	unsigned int number = seat->session.number;

	sampler_drain(h->bench.sampler); /* what it left in the ring is not its follower's */
	seat_free(seat);
	h->seats[number] = NULL;
}

static unsigned int make_room(struct heap_sessions *h)
{
	struct heap_seat *oldest = NULL;
	unsigned int number;

	for (unsigned int i = 0; i < SP_HEAP_SESSIONS; i++) {
		struct heap_seat *seat = h->seats[i];

		if (seat && can_give_way(seat) &&
		    (!oldest || rests_since(&seat->session) < rests_since(&oldest->session)))
			oldest = seat;
	}
	if (!oldest)
		return SP_HEAP_SESSIONS;
	number = oldest->session.number;
	heap_seat_forget(oldest);
	heap_seat_release(oldest);
	return number;
}

struct heap_seat *heap_seat_new(struct heap_sessions *h, pid_t pid, enum heap_seat_claim claim)
{
	struct heap_seat *seat;
	unsigned int i = 0;

	while (i < SP_HEAP_SESSIONS && h->seats[i])
		i++;
	if (i == SP_HEAP_SESSIONS && claim == HEAP_SEAT_BY_RIGHT)
		i = make_room(h);
	if (!h->tracker)
		h->tracker = heap_tracker_new();
	seat = i < SP_HEAP_SESSIONS && h->tracker ? calloc(1, sizeof(*seat)) : NULL;
	if (!seat)
		return NULL;
	seat->owner = h;
	seat->session.number = i;
	seat->session.pid = pid;
	seat->work.bench = &h->bench;
	seat->work.done = heap_seat_on_work;
	seat->work.ctx = seat;
	seat->work.session = i;
	seat->work.subject.image = -1;
	h->seats[i] = seat;
	return seat;
}

static void add_up(struct heap_sessions_load *sum, const struct heap_session *s)
{
	for (unsigned int i = 0; i < SP_HEAP_COUNT_MAX; i++)
		sum->counts.count[i] += s->counts.count[i];
	for (unsigned int i = 0; i < SP_HEAP_LOST_MAX; i++)
		sum->counts.lost[i] += s->counts.lost[i];
	sum->table_full += s->load.dropped;
	sum->children_not_cloned += s->children_not_cloned;
}

void heap_seat_forget(struct heap_seat *seat)
{
	struct heap_sessions *h = seat->owner;

	if (seat->is_leaving)
		return;
	heap_seat_end(seat, "it was told to end");
	heap_seat_untrack(seat);
	add_up(&h->past, &seat->session);
	seat->is_leaving = true;
}

void heap_sessions_load(struct heap_sessions *h, struct heap_sessions_load *out)
{
	*out = h->past;
	if (h->tracker)
		out->model = heap_tracker_statistics(h->tracker);
	for (unsigned int i = 0; i < SP_HEAP_SESSIONS; i++) {
		struct heap_seat *seat = h->seats[i];

		if (!seat || seat->is_leaving)
			continue;
		heap_seat_read(seat);
		out->sessions[seat->session.state]++;
		add_up(out, &seat->session);
	}
}
