/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/heap_session.h"

#include "daemon/heap_schedule.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SECOND_NS 1000000000ull
#define SETTLED_NS SECOND_NS		/* after a stop, until what was sampled is all here */
#define FREES_SEEN_NS (600 * SECOND_NS) /* after a stop */
#define KEPT_NS (600 * SECOND_NS)	/* after the end */
#define KEPT_GONE_NS (60 * SECOND_NS)	/* of a process that is no more */

struct tier {
	const char *name;
	uint64_t rate; /* bytes */
	unsigned int max_overhead;
	unsigned int seconds;
};

static const struct tier tiers[] = {
	[HEAP_TIER_GROWTH] = { "growth", 524288, 10, 0 },
	[HEAP_TIER_TRACE] = { "trace", 65536, 100, 10 },
};

static const char *const state_names[HEAP_SESSION_STATES] = {
	[HEAP_SESSION_ATTACHING] = "attaching", [HEAP_SESSION_ACTIVE] = "active",
	[HEAP_SESSION_STOPPED] = "stopped",	[HEAP_SESSION_INHERITED] = "inherited",
	[HEAP_SESSION_ENDED] = "ended",
};

const char *heap_session_state_name(enum heap_session_state state)
{
	return state_names[state];
}

const char *heap_tier_name(enum heap_tier tier)
{
	return tiers[tier].name;
}

/* A trace that nobody asked for by name costs no more than the growth that was to be had. */
void heap_session_begin(struct heap_session *s, uint64_t now_ns, uint64_t unix_ns)
{
	const struct tier *tier = &tiers[s->tier];
	bool is_named = s->request.tier != HEAP_ASK_AUTO;

	if (!s->request.rate)
		s->request.rate = tier->rate;
	if (!s->request.seconds)
		s->request.seconds = tier->seconds;
	if (!s->request.max_overhead)
		s->request.max_overhead =
			is_named ? tier->max_overhead : tiers[HEAP_TIER_GROWTH].max_overhead;
	s->state = HEAP_SESSION_ACTIVE;
	s->begun_ns = s->next_scan_ns = now_ns;
	s->unix_ns = unix_ns;
}

/* A realloc() frees, too. */
static bool sees_frees(const struct heap_site *site)
{
	return site->what.kind == SP_PROBE_FREE || site->what.kind == SP_PROBE_REALLOC;
}

static void give_reason(struct heap_session *s, const char *reason)
{
	size_t len = strlen(s->reason);

	snprintf(s->reason + len, sizeof(s->reason) - len, "%s%s", len ? "; " : "", reason);
}

void heap_session_stop(struct heap_session *s, uint64_t now_ns, const char *reason)
{
	s->state = HEAP_SESSION_STOPPED;
	s->stopped_ns = now_ns;
	give_reason(s, reason);
	for (uint32_t i = 0; i < s->site_count; i++)
		if (!sees_frees(&s->sites[i]))
			s->wanted &= ~(1u << i);
}

void heap_session_end(struct heap_session *s, uint64_t now_ns, const char *reason)
{
	if (s->state == HEAP_SESSION_ENDED)
		return;
	s->state = HEAP_SESSION_ENDED;
	s->ended_ns = now_ns;
	if (!s->stopped_ns)
		s->stopped_ns = now_ns;
	give_reason(s, reason);
	s->wanted = 0;
}

bool heap_session_drop_libc(struct heap_session *s)
{
	uint32_t libc = 0;

	for (uint32_t i = 0; i < s->site_count; i++)
		if (s->sites[i].what.domain == SP_DOMAIN_LIBC)
			libc |= 1u << i;
	if (!(s->wanted & libc) || !(s->wanted & ~libc))
		return false;
	s->wanted &= ~libc;
	return true;
}

void heap_session_settle(struct heap_session *s)
{
	uint64_t due = s->counts.count[SP_HEAP_SAMPLED] + s->counts.count[SP_HEAP_REFILLS];
	uint64_t seen = s->load.samples + s->counts.count[SP_HEAP_FAILED] +
			s->counts.count[SP_HEAP_REFILLS_SKIPPED];

	if (s->state == HEAP_SESSION_ACTIVE)
		return;
	for (unsigned int i = 0; i < SP_HEAP_LOST_MAX; i++)
		if (i != SP_HEAP_LOST_FREE_RING_FULL) /* no sample's */
			seen += s->counts.lost[i];
	if (due <= seen)
		return;
	s->unreturned += due - seen;
	s->counts.lost[SP_HEAP_LOST_NO_RETURN] += due - seen;
}

void heap_session_pace(struct heap_session *s, uint64_t now_ns, uint64_t took_ns)
{
	s->next_scan_ns = now_ns + heap_schedule_pause_ns(s->request.seconds, took_ns, s->scans);
}

static bool has_passed(uint64_t now_ns, uint64_t since_ns, uint64_t ns)
{
	return now_ns > since_ns && now_ns - since_ns >= ns;
}

static enum heap_session_due due_when_stopped(const struct heap_session *s, uint64_t now_ns,
					      const char **why)
{
	if (!s->load.live_samples && has_passed(now_ns, s->stopped_ns, SETTLED_NS)) {
		*why = "nothing that was sampled lives any more";
		return HEAP_DUE_END;
	}
	*why = "10 minutes have passed since: what is freed from now on is not seen";
	return has_passed(now_ns, s->stopped_ns, FREES_SEEN_NS) ? HEAP_DUE_END : HEAP_DUE_NOTHING;
}

enum heap_session_due heap_session_due(const struct heap_session *s, uint64_t now_ns,
				       const char **why)
{
	uint64_t window_ns = s->request.seconds * SECOND_NS;

	switch (s->state) {
	case HEAP_SESSION_ACTIVE:
		*why = "its time is over";
		if (window_ns && has_passed(now_ns, s->begun_ns, window_ns))
			return HEAP_DUE_STOP;
		return now_ns >= s->next_scan_ns ? HEAP_DUE_SCAN : HEAP_DUE_NOTHING;
	case HEAP_SESSION_STOPPED:
		return due_when_stopped(s, now_ns, why);
	case HEAP_SESSION_ENDED:
		if (has_passed(now_ns, s->ended_ns, s->is_gone ? KEPT_GONE_NS : KEPT_NS))
			return HEAP_DUE_FORGET;
		return HEAP_DUE_NOTHING;
	default:
		return HEAP_DUE_NOTHING;
	}
}

double heap_session_seconds(const struct heap_session *s, uint64_t now_ns)
{
	uint64_t end_ns = s->stopped_ns ? s->stopped_ns : now_ns;

	if (!s->begun_ns || s->state == HEAP_SESSION_INHERITED || end_ns < s->begun_ns)
		return 0;
	return (end_ns - s->begun_ns) / 1e9;
}

void heap_session_warn(struct heap_session *s, const char *format, ...)
{
	char text[sizeof(s->warnings[0])];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (unsigned int i = 0; i < s->warning_count; i++)
		if (!strcmp(s->warnings[i], text))
			return;
	if (s->warning_count < HEAP_SESSION_WARNINGS)
		memcpy(s->warnings[s->warning_count++], text, sizeof(text));
	else
		s->warnings_left_out++;
}
