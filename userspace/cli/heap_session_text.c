/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/heap_session_text.h"

#include "base/utf8.h"
#include "cli/heap_text_parts.h"
#include "cli/output.h"
#include "cli/wrap.h"

#include <string.h>
#include <time.h>

#define INDENT 9 /* of a line, below its name */

/* Member @name of @o, as it is. */
static void add_scalar(struct buffer *out, const json_t *o, const char *name)
{
	output_add_scalar(out, json_object_get(o, name));
}

/* "NAME     TEXT", which is used up. */
static void add_line(struct buffer *out, const char *name, struct buffer *text)
{
	buffer_print(out, "%-*s", INDENT, name);
	wrap_add(out, INDENT, INDENT, text->data ? text->data : "-");
	buffer_add_text(out, "\n");
	if (buffer_error(text))
		out->err = text->err;
	buffer_fini(text);
}

void heap_session_text_add_time(struct buffer *out, const json_t *seconds)
{
	double s = json_number_value(seconds);

	if (!json_is_number(seconds) || s < 0)
		buffer_add_text(out, "-");
	else if (s < 120)
		buffer_print(out, "%.1f s", s);
	else if (s < 7200)
		buffer_print(out, "%.1f min", s / 60);
	else
		buffer_print(out, "%.1f h", s / 3600);
}

static void add_moment(struct buffer *out, const json_t *ns)
{
	time_t seconds = json_integer_value(ns) / 1000000000;
	char when[40];
	struct tm local;

	if (!json_is_integer(ns) || !localtime_r(&seconds, &local) ||
	    !strftime(when, sizeof(when), "%F %T", &local))
		buffer_add_text(out, "-");
	else
		buffer_add_text(out, when);
}

/* "growth, active; sampled for 61.0 s of @most, since 2026-11-22 02:03:04: REASON" */
static void add_tier(struct buffer *out, const json_t *session, const json_t *most)
{
	const json_t *reason = json_object_get(session, "reason");
	struct buffer text = { 0 };

	add_scalar(&text, session, "tier");
	buffer_add_text(&text, ", ");
	add_scalar(&text, session, "state");
	buffer_add_text(&text, "; sampled for ");
	heap_session_text_add_time(&text, json_object_get(session, "seconds"));
	if (json_is_number(most)) {
		buffer_add_text(&text, " of ");
		heap_session_text_add_time(&text, most);
	}
	buffer_add_text(&text, ", since ");
	add_moment(&text, json_object_get(session, "since_ns"));
	if (json_string_length(reason)) {
		buffer_add_text(&text, ": ");
		output_add_scalar(&text, reason);
	}
	add_line(out, "Tier", &text);
}

/* "510 ns", "9.3 us" */
static void add_cost(struct buffer *out, const json_t *ns)
{
	double cost = json_number_value(ns);

	if (!json_is_number(ns) || cost < 0)
		buffer_add_text(out, "-");
	else if (cost < 999.5)
		buffer_print(out, "%.0f ns", cost);
	else
		buffer_print(out, "%.1f us", cost / 1000);
}

static void add_costs(struct buffer *out, const json_t *cost)
{
	buffer_add_text(out, "; a hit costs ");
	add_cost(out, json_object_get(cost, "emulated"));
	buffer_add_text(out, ", ");
	add_cost(out, json_object_get(cost, "stepped"));
	buffer_add_text(out, " where it is stepped over, a return ");
	add_cost(out, json_object_get(cost, "return"));
}

/* @cost: of a hit; NULL: left out. */
static void add_overhead(struct buffer *out, const json_t *session, const json_t *cost)
{
	const json_t *percent = json_object_get(session, "overhead_percent");
	struct buffer text = { 0 };

	if (json_is_number(percent))
		buffer_print(&text, json_number_value(percent) < 1e7 ? "%.2f" : "%.3g",
			     json_number_value(percent));
	buffer_add_text(&text,
			json_is_number(percent) ? " % of its processor time" : "not measured yet");
	buffer_add_text(&text, ", at most ");
	add_scalar(&text, session, "max_overhead_percent");
	buffer_add_text(&text, " %");
	if (cost)
		add_costs(&text, cost);
	add_line(out, "Overhead", &text);
}

/* "malloc (stepped over, with its return)"; what it is, unless its name says so. */
static void add_probe(struct buffer *out, const json_t *probe)
{
	const char *function = json_string_value(json_object_get(probe, "function"));
	const char *kind = json_string_value(json_object_get(probe, "kind"));
	const char *before = " (";

	add_scalar(out, probe, "function");
	if (kind && function && !strstr(function, kind)) {
		buffer_add_text(out, before);
		add_scalar(out, probe, "kind");
		before = ", ";
	}
	if (json_is_true(json_object_get(probe, "is_stepped"))) {
		buffer_print(out, "%sstepped over", before);
		before = ", ";
	}
	if (json_is_true(json_object_get(probe, "has_return"))) {
		buffer_print(out, "%swith its return", before);
		before = ", ";
	}
	buffer_add_text(out, before[0] == ',' ? ")" : "");
}

static void add_probes(struct buffer *out, const json_t *session)
{
	const json_t *probe, *counts = json_object_get(session, "counts");
	struct buffer text = { 0 };
	size_t i;

	json_array_foreach(json_object_get(session, "probes"), i, probe)
	{
		buffer_add_text(&text, i ? ", " : "");
		add_probe(&text, probe);
	}
	if (!text.len)
		buffer_add_text(&text, "none");
	add_line(out, "Probes", &text);
	add_scalar(&text, counts, "hits");
	buffer_add_text(&text, ", stepped over ");
	add_scalar(&text, counts, "stepped_hits");
	buffer_add_text(&text, ", returns ");
	add_scalar(&text, counts, "return_hits");
	add_line(out, "Hits", &text);
}

/* What the probes saw of the program. */
static void add_seen(struct buffer *out, const json_t *session)
{
	const json_t *counts = json_object_get(session, "counts");
	struct buffer text = { 0 };

	add_scalar(&text, counts, "allocations");
	buffer_add_text(&text, " allocations of ");
	heap_add_bytes(&text, json_object_get(counts, "allocated_bytes"), 0);
	buffer_add_text(&text, ", ");
	add_scalar(&text, counts, "frees");
	buffer_add_text(&text, " frees");
	add_line(out, "Asked", &text);
}

/* "1029 allocations, one in 64.0 KiB: 168 live, 861 freed; new pools 0, scans 1" */
static void add_samples(struct buffer *out, const json_t *session)
{
	const json_t *counts = json_object_get(session, "counts");
	struct buffer text = { 0 };

	add_scalar(&text, counts, "sampled");
	buffer_add_text(&text, " allocations, one in ");
	heap_add_bytes(&text, json_object_get(session, "rate_bytes"), 0);
	buffer_add_text(&text, ": ");
	add_scalar(&text, session, "live_samples");
	buffer_add_text(&text, " live, ");
	add_scalar(&text, session, "freed");
	buffer_add_text(&text, " freed; new pools ");
	add_scalar(&text, counts, "refills");
	buffer_add_text(&text, ", scans ");
	add_scalar(&text, session, "scans");
	add_line(out, "Samples", &text);
}

static void add_native(struct buffer *out, const json_t *session)
{
	const json_t *health = json_object_get(session, "frame_pointers");
	struct buffer text = { 0 };

	if (!json_is_object(health))
		return;
	add_scalar(&text, health, "stacks");
	buffer_add_text(&text, " stacks by frame pointers, confidence ");
	add_scalar(&text, health, "confidence");
	buffer_add_text(&text, ": ");
	add_scalar(&text, health, "shallow");
	buffer_print(&text, " shallow, %.1f frames on average",
		     heap_number(health, "average_depth"));
	add_line(out, "Native", &text);
}

/* By name, those that are not 0. */
static void add_lost(struct buffer *out, const json_t *session)
{
	const json_t *lost = json_object_get(session, "lost");
	struct buffer text = { 0 };
	const char *name;
	json_t *count;

	json_object_foreach((json_t *)lost, name, count)
	{
		if (json_number_value(count) <= 0)
			continue;
		buffer_add_text(&text, text.len ? ", " : "");
		utf8_add_visible(&text, name);
		buffer_add_text(&text, " ");
		output_add_scalar(&text, count);
	}
	if (!text.len)
		buffer_add_text(&text, json_is_object(lost) ? "nothing" : "-");
	add_line(out, "Lost", &text);
}

static void add_warnings(struct buffer *out, const json_t *session)
{
	const json_t *warning;
	size_t i;

	json_array_foreach(json_object_get(session, "warnings"), i, warning)
	{
		struct buffer text = { 0 };

		output_add_scalar(&text, warning);
		add_line(out, "Warning", &text);
	}
}

void heap_session_text_add_part(const json_t *session, struct buffer *out)
{
	add_tier(out, session, NULL);
	add_overhead(out, session, NULL);
	add_samples(out, session);
	add_lost(out, session);
	add_warnings(out, session);
}

void heap_session_text_add(const json_t *session, struct buffer *out)
{
	const json_t *cost = json_object_get(session, "probe_cost_ns");

	buffer_add_text(out, "Process ");
	add_scalar(out, session, "pid");
	buffer_add_text(out, ": ");
	add_scalar(out, session, "name");
	buffer_add_text(out, "\n\n");
	add_tier(out, session, json_object_get(session, "for_seconds"));
	add_overhead(out, session, cost);
	add_probes(out, session);
	add_seen(out, session);
	add_samples(out, session);
	add_native(out, session);
	add_lost(out, session);
	add_warnings(out, session);
}
