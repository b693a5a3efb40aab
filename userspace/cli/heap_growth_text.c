/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/heap_growth_text.h"

#include "cli/amount.h"
#include "cli/heap_growth_text_parts.h"
#include "cli/heap_session_text.h"
#include "cli/heap_stack_text.h"
#include "cli/heap_text_parts.h"
#include "cli/output.h"
#include "cli/wrap.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define ROWS_LEAST 3 /* of those that grew, also if none surely did */

void heap_growth_text_add_seen(const json_t *heap, struct buffer *out)
{
	const json_t *coverage = json_object_get(heap, "coverage");
	const json_t *share = json_object_get(coverage, "share");
	const json_t *whole = json_object_get(coverage, "true_bytes");
	char text[AMOUNT_ROOM] = "-";

	if (json_is_number(whole))
		amount_change(json_number_value(whole), text);
	if (json_is_number(share) && fabs(json_number_value(share)) < 1e7)
		buffer_print(out, "Seen     the probes saw %.1f %% of",
			     round(json_number_value(share) * 1000) / 10 + 0.0);
	else
		buffer_add_text(out, "Seen     cannot tell how much of");
	buffer_print(out, " the change of %s that the scans saw\n", text);
}

void heap_growth_add_interval(struct buffer *out, const json_t *row)
{
	const json_t *low = json_object_get(row, "low"), *high = json_object_get(row, "high");
	char from[AMOUNT_ROOM], to[AMOUNT_ROOM], text[2 * AMOUNT_ROOM + 8] = "-";

	if (json_is_number(low) && json_is_number(high))
		snprintf(text, sizeof(text), "%s to %s", amount_bytes(json_number_value(low), from),
			 amount_bytes(json_number_value(high), to));
	buffer_print(out, "  %-24s ", text);
}

static void add_indented(struct buffer *out, const char *text)
{
	buffer_print(out, "%*s", HEAP_GROWTH_INDENT, "");
	wrap_add(out, HEAP_GROWTH_INDENT, HEAP_GROWTH_INDENT, text);
	buffer_add_text(out, "\n");
}

static bool is_verdict(const json_t *row, const char *verdict)
{
	const char *text = json_string_value(json_object_get(row, "verdict"));

	return text && !strcmp(text, verdict);
}

static void add_class(struct buffer *out, const json_t *row)
{
	const json_t *block = json_object_get(row, "block_bytes");

	buffer_print(out, "%*sshared size class", HEAP_GROWTH_INDENT, "");
	if (json_number_value(block) > 0) {
		buffer_add_text(out, " of ");
		heap_add_count(out, block, 0);
		buffer_add_text(out, " bytes");
	}
	buffer_add_text(out, ": cannot tell; seen to take memory:\n");
}

/* The lines that may have done it: nobody is blamed, so in no order and without figures. */
static void add_candidates(struct buffer *out, const json_t *row)
{
	const json_t *candidate, *more = json_object_get(row, "more_candidates");
	size_t i;

	json_array_foreach(json_object_get(row, "candidates"), i, candidate)
	{
		buffer_print(out, "%*s", HEAP_GROWTH_INDENT + 2, "");
		heap_stack_text_add_frame(out, candidate);
		buffer_add_text(out, "\n");
	}
	if (json_number_value(more) > 0) {
		buffer_print(out, "%*s... and ", HEAP_GROWTH_INDENT + 2, "");
		heap_add_count(out, more, 0);
		buffer_add_text(out, " more\n");
	}
}

/* More than one; a single one is all that the frames say. */
static bool has_candidates(const json_t *row)
{
	return json_array_size(json_object_get(row, "candidates")) > 1 ||
	       heap_number(row, "more_candidates") > 0;
}

/* The candidates, and what they have in common; a single one is what all of it has in common. */
static void add_shared(struct buffer *out, const json_t *row)
{
	const json_t *frames = json_object_get(row, "frames");
	bool is_single = !has_candidates(row);

	add_class(out, row);
	if (!is_single)
		add_candidates(out, row);
	if (json_array_size(frames) < 2)
		return;
	if (!is_single)
		add_indented(out, "all of them below:");
	heap_stack_text_add(out, frames, 1,
			    is_single ? HEAP_GROWTH_INDENT : HEAP_GROWTH_INDENT + 2);
}

/* Why it is no more than approximate; that there are several speaks for itself. */
static void add_reason(struct buffer *out, const json_t *row)
{
	OWNS(buffer) struct buffer text = { 0 };
	const json_t *reason = json_object_get(row, "reason");

	if (is_verdict(row, "certain") || !json_string_length(reason) || has_candidates(row))
		return;
	output_add_scalar(&text, reason);
	if (text.data)
		add_indented(out, text.data);
}

static void add_grown(struct buffer *out, const json_t *row, double seconds)
{
	double bytes = heap_number(row, "bytes");
	char change[AMOUNT_ROOM] = "-", rate[AMOUNT_ROOM] = "-";

	if (json_is_number(json_object_get(row, "bytes"))) {
		amount_change(bytes, change);
		if (seconds > 0)
			amount_change(bytes / seconds, rate);
	}
	buffer_print(out, "%11s", change);
	heap_growth_add_interval(out, row);
	buffer_print(out, "%11s  ", rate);
	output_add_scalar(out, json_object_get(row, "verdict"));
	buffer_add_text(out, "\n");
	if (is_verdict(row, "shared size class"))
		add_shared(out, row);
	else
		heap_stack_text_add(out, json_object_get(row, "frames"), 0, HEAP_GROWTH_INDENT);
	add_reason(out, row);
}

static bool surely_grew(const json_t *row)
{
	return heap_number(row, "low") > 0;
}

static size_t sure_rows(const json_t *rows)
{
	size_t sure = 0, i;
	const json_t *row;

	json_array_foreach(rows, i, row) sure += surely_grew(row);
	return sure;
}

void heap_growth_add_more(struct buffer *out, size_t shown, const json_t *rows,
			  const json_t *omitted, const char *of_them)
{
	double more = heap_number(omitted, "rows");

	if (json_array_size(rows) > shown)
		more += json_array_size(rows) - shown;
	if (more > 0)
		buffer_print(out,
			     more < 1e15 ? "        ... and %.0f more%s\n"
					 : "        ... and %.3g more%s\n",
			     more, of_them);
}

/* Those that surely grew, or the others, @most of them. How many were shown. */
static size_t add_which(struct buffer *out, const json_t *rows, bool grew, size_t most,
			double seconds)
{
	const json_t *row;
	size_t shown = 0, i;

	json_array_foreach(rows, i, row)
	{
		if (shown == most)
			break;
		if (surely_grew(row) != grew)
			continue;
		add_grown(out, row, seconds);
		shown++;
	}
	return shown;
}

/* First those that surely grew, and, if these are few, a few others. */
static void add_growth(struct buffer *out, const json_t *heap, const json_t *session)
{
	const json_t *rows = json_object_get(heap, "growth");
	const json_t *time = json_object_get(session, "seconds");
	double seconds = json_number_value(time);
	size_t shown;

	buffer_add_text(out, "\nGrowth   by who allocated it, in ");
	heap_session_text_add_time(out, time);
	buffer_add_text(out,
			json_array_size(rows)
				? "\n       Grew  95 % interval               A second  Verdict\n"
				: "\n       none\n");
	shown = add_which(out, rows, true, HEAP_GROWTH_ROWS, seconds);
	if (shown < ROWS_LEAST)
		shown += add_which(out, rows, false, ROWS_LEAST - shown, seconds);
	heap_growth_add_more(out, shown, rows, json_object_get(heap, "growth_omitted"),
			     sure_rows(rows) > HEAP_GROWTH_ROWS ? ""
								: ", which may not have grown");
}

void heap_growth_text_add(const json_t *heap, struct buffer *out)
{
	const json_t *session = json_object_get(heap, "session");
	const char *tier = json_string_value(json_object_get(session, "tier"));
	bool is_trace = tier && !strcmp(tier, "trace");
	const char *which = is_trace ? "" : "in larger blocks, ";

	/* The trace tier follows each sample: what grew is what lives. */
	if (!is_trace)
		add_growth(out, heap, session);
	if (json_array_size(json_object_get(heap, "stacks")) || is_trace)
		heap_growth_add_live(out, heap, which);
	if (json_array_size(json_object_get(heap, "temporary")))
		heap_growth_add_temporary(out, heap, which);
}
