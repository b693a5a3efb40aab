/* SPDX-License-Identifier: Apache-2.0 */
/* The states of a session, and what is due in each. Checklist M-24, M-25. */
#include "daemon/heap_session.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)
#define START (1000 * SECOND)

static const struct heap_site sites[] = {
	{ .function = "allocate_from_new_pool",
	  .what = { .kind = SP_PROBE_REFILL, .domain = SP_DOMAIN_OBJECT } },
	{ .function = "malloc", .what = { .kind = SP_PROBE_MALLOC, .domain = SP_DOMAIN_LIBC } },
	{ .function = "realloc", .what = { .kind = SP_PROBE_REALLOC, .domain = SP_DOMAIN_LIBC } },
	{ .function = "free", .what = { .kind = SP_PROBE_FREE, .domain = SP_DOMAIN_LIBC } },
};

#define REFILL 1u
#define ALL 0xfu
#define SEE_FREES 0xcu

static void put_in(struct heap_session *s, enum heap_tier tier)
{
	s->tier = tier;
	s->site_count = sizeof(sites) / sizeof(*sites);
	memcpy(s->sites, sites, sizeof(sites));
	s->attached = s->wanted = ALL;
	heap_session_begin(s, START, 5);
}

static const struct {
	enum heap_tier tier;
	struct heap_request asked, is;
} defaults[] = {
	{ HEAP_TIER_GROWTH, { .tier = HEAP_ASK_GROWTH }, { 0, 524288, 10, 0, false } },
	{ HEAP_TIER_GROWTH, { .tier = HEAP_ASK_AUTO }, { 0, 524288, 10, 0, false } },
	{ HEAP_TIER_TRACE, { .tier = HEAP_ASK_TRACE }, { 0, 65536, 100, 10, false } },
	{ HEAP_TIER_TRACE, { .tier = HEAP_ASK_AUTO }, { 0, 65536, 10, 10, false } },
	{ HEAP_TIER_TRACE, { HEAP_ASK_AUTO, 4096, 300, 60, false }, { 0, 4096, 300, 60, false } },
	{ HEAP_TIER_GROWTH, { HEAP_ASK_GROWTH, 1, 1, 1, false }, { 0, 1, 1, 1, false } },
};

Test(heap_session, what_is_left_open_is_the_tiers_own)
{
	for (size_t i = 0; i < sizeof(defaults) / sizeof(*defaults); i++) {
		struct heap_session s = { .request = defaults[i].asked };

		put_in(&s, defaults[i].tier);
		cr_expect(s.state == HEAP_SESSION_ACTIVE);
		cr_expect(s.request.rate == defaults[i].is.rate, "row %zu", i);
		cr_expect(s.request.max_overhead == defaults[i].is.max_overhead, "row %zu", i);
		cr_expect(s.request.seconds == defaults[i].is.seconds, "row %zu", i);
	}
}

Test(heap_session, a_stop_leaves_the_probes_that_see_what_is_freed)
{
	struct heap_session s = { 0 };

	put_in(&s, HEAP_TIER_GROWTH);
	heap_session_stop(&s, START + SECOND, "it was told to");
	cr_expect(s.state == HEAP_SESSION_STOPPED);
	cr_expect(s.wanted == SEE_FREES && s.attached == ALL);
	cr_expect(eq(str, s.reason, "it was told to"));
}

Test(heap_session, an_end_leaves_no_probe_and_both_reasons)
{
	struct heap_session s = { 0 };

	put_in(&s, HEAP_TIER_GROWTH);
	heap_session_stop(&s, START + SECOND, "its time is over");
	heap_session_end(&s, START + 2 * SECOND, "nothing lives");
	cr_expect(s.state == HEAP_SESSION_ENDED && s.wanted == 0);
	cr_expect(eq(str, s.reason, "its time is over; nothing lives"));
	heap_session_end(&s, START + 9 * SECOND, "again");
	cr_expect(eq(str, s.reason, "its time is over; nothing lives"));
	cr_expect(s.ended_ns == START + 2 * SECOND);
}

Test(heap_session, reasons_never_leave_their_room)
{
	struct heap_session s = { 0 };
	char reason[200];

	memset(reason, 'x', sizeof(reason) - 1);
	reason[sizeof(reason) - 1] = '\0';
	put_in(&s, HEAP_TIER_GROWTH);
	heap_session_stop(&s, START, reason);
	heap_session_end(&s, START, reason);
	cr_expect(strlen(s.reason) == sizeof(s.reason) - 1);
}

Test(heap_session, the_c_librarys_probes_go_once_and_never_all_there_are)
{
	struct heap_session s = { 0 };

	put_in(&s, HEAP_TIER_GROWTH);
	cr_expect(heap_session_drop_libc(&s));
	cr_expect(s.wanted == REFILL);
	cr_expect(heap_session_drop_libc(&s) == false);
	cr_expect(s.wanted == REFILL);

	s.wanted = ALL & ~REFILL;
	cr_expect(heap_session_drop_libc(&s) == false);
	cr_expect(s.wanted == (ALL & ~REFILL));
}

struct due_row {
	enum heap_session_state state;
	unsigned int for_seconds;
	uint64_t after; /* seconds after it began, was stopped or ended */
	uint64_t live;
	bool is_gone;
	enum heap_session_due due;
};

static const struct due_row due_rows[] = {
	{ HEAP_SESSION_ATTACHING, 10, 1000, 0, false, HEAP_DUE_NOTHING },
	{ HEAP_SESSION_ACTIVE, 10, 2, 5, false, HEAP_DUE_NOTHING },
	{ HEAP_SESSION_ACTIVE, 10, 3, 5, false, HEAP_DUE_SCAN },
	{ HEAP_SESSION_ACTIVE, 10, 9, 0, false, HEAP_DUE_SCAN },
	{ HEAP_SESSION_ACTIVE, 10, 10, 5, false, HEAP_DUE_STOP },
	{ HEAP_SESSION_ACTIVE, 0, 100000, 0, false, HEAP_DUE_SCAN },
	{ HEAP_SESSION_STOPPED, 0, 0, 0, false, HEAP_DUE_NOTHING },
	{ HEAP_SESSION_STOPPED, 0, 1, 0, false, HEAP_DUE_END },
	{ HEAP_SESSION_STOPPED, 0, 599, 1, false, HEAP_DUE_NOTHING },
	{ HEAP_SESSION_STOPPED, 0, 600, 1, false, HEAP_DUE_END },
	{ HEAP_SESSION_INHERITED, 0, 100000, 0, false, HEAP_DUE_NOTHING },
	{ HEAP_SESSION_ENDED, 0, 599, 0, false, HEAP_DUE_NOTHING },
	{ HEAP_SESSION_ENDED, 0, 600, 9, false, HEAP_DUE_FORGET },
	{ HEAP_SESSION_ENDED, 0, 59, 0, true, HEAP_DUE_NOTHING },
	{ HEAP_SESSION_ENDED, 0, 60, 0, true, HEAP_DUE_FORGET },
};

Test(heap_session, what_is_due_follows_from_state_and_time)
{
	for (size_t i = 0; i < sizeof(due_rows) / sizeof(*due_rows); i++) {
		const struct due_row *row = &due_rows[i];
		struct heap_session s = { .state = row->state,
					  .request.seconds = row->for_seconds,
					  .begun_ns = START,
					  .next_scan_ns = START + 3 * SECOND,
					  .stopped_ns = START,
					  .ended_ns = START,
					  .load.live_samples = row->live,
					  .is_gone = row->is_gone };
		const char *why = NULL;
		enum heap_session_due due = heap_session_due(&s, START + row->after * SECOND, &why);

		cr_expect(due == row->due, "row %zu: %d", i, due);
		if (due == HEAP_DUE_STOP || due == HEAP_DUE_END)
			cr_expect(why != NULL, "row %zu has no reason", i);
	}
}

Test(heap_session, what_was_sampled_before_a_stop_has_a_second_to_arrive)
{
	struct heap_session s = { 0 };
	const char *why;

	put_in(&s, HEAP_TIER_GROWTH);
	heap_session_stop(&s, START, "");
	cr_expect(heap_session_due(&s, START + SECOND - 1, &why) == HEAP_DUE_NOTHING);
	cr_expect(heap_session_due(&s, START + SECOND, &why) == HEAP_DUE_END);
}

Test(heap_session, the_next_scan_waits_for_its_pause)
{
	struct heap_session s = { 0 };
	const char *why;

	put_in(&s, HEAP_TIER_GROWTH);
	cr_expect(heap_session_due(&s, START, &why) == HEAP_DUE_SCAN, "the first is due at once");
	heap_session_pace(&s, START + SECOND, 10000000);
	cr_expect(heap_session_due(&s, START + 6 * SECOND - 1, &why) == HEAP_DUE_NOTHING);
	cr_expect(heap_session_due(&s, START + 6 * SECOND, &why) == HEAP_DUE_SCAN);
}

Test(heap_session, seconds_are_those_in_which_samples_were_taken)
{
	struct heap_session s = { 0 };

	cr_expect(heap_session_seconds(&s, START) == 0);
	put_in(&s, HEAP_TIER_TRACE);
	cr_expect(heap_session_seconds(&s, START + SECOND / 2) == 0.5);
	heap_session_stop(&s, START + 3 * SECOND, "");
	cr_expect(heap_session_seconds(&s, START + 9 * SECOND) == 3);
	heap_session_end(&s, START + 20 * SECOND, "");
	cr_expect(heap_session_seconds(&s, START + 30 * SECOND) == 3);
	s.state = HEAP_SESSION_INHERITED;
	cr_expect(heap_session_seconds(&s, START + 30 * SECOND) == 0);
}

Test(heap_session, a_sample_whose_probe_of_the_return_went_first_has_one_end_too)
{
	struct heap_session s = { 0 };

	put_in(&s, HEAP_TIER_TRACE);
	s.counts.count[SP_HEAP_SAMPLED] = 90;
	s.counts.count[SP_HEAP_REFILLS] = 40;
	s.counts.count[SP_HEAP_REFILLS_SKIPPED] = 30;
	s.counts.count[SP_HEAP_FAILED] = 3;
	s.counts.lost[SP_HEAP_LOST_BUSY] = 2;
	s.counts.lost[SP_HEAP_LOST_FREE_RING_FULL] = 50;
	s.load.samples = 94;
	heap_session_settle(&s);
	cr_expect(s.unreturned == 0, "it may still return");
	heap_session_stop(&s, START, "");
	heap_session_settle(&s);
	heap_session_settle(&s);
	cr_expect(s.unreturned == 1);
	cr_expect(s.counts.lost[SP_HEAP_LOST_NO_RETURN] == 1);
}

Test(heap_session, each_warning_is_told_once_and_what_finds_no_room_is_counted)
{
	struct heap_session s = { 0 };

	for (int i = 0; i < 2 * HEAP_SESSION_WARNINGS; i++)
		heap_session_warn(&s, "number %d", i / 2);
	cr_expect(eq(uint, s.warning_count, HEAP_SESSION_WARNINGS));
	cr_expect(eq(uint, s.warnings_left_out, 0));
	heap_session_warn(&s, "one more");
	cr_expect(eq(uint, s.warning_count, HEAP_SESSION_WARNINGS));
	cr_expect(eq(uint, s.warnings_left_out, 1));
	cr_expect(eq(str, s.warnings[7], "number 7"));
}
