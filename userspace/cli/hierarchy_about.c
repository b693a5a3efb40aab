/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/hierarchy_about.h"

#include "base/utf8.h"
#include "import/reason.h"
#include "profile/weight.h"

#include <errno.h>
#include <string.h>

void hierarchy_about_fini(struct hierarchy_about *a)
{
	buffer_fini(&a->event);
	buffer_fini(&a->events);
	buffer_fini(&a->total);
	buffer_fini(&a->warnings);
}

static const char *mode_name(enum import_mode mode)
{
	static const char *const names[] = {
		[IMPORT_MODE_GRAPH] = "graph", [IMPORT_MODE_FRACTAL] = "fractal",
		[IMPORT_MODE_FLAT] = "flat",   [IMPORT_MODE_FOLDED] = "folded",
		[IMPORT_MODE_NONE] = "none",   [IMPORT_MODE_UNSAID] = NULL,
	};

	return names[mode];
}

static const char *order_name(enum import_order order)
{
	if (order == IMPORT_ORDER_UNSAID)
		return NULL;
	return order == IMPORT_ORDER_CALLEE ? "callee" : "caller";
}

static const char *unit_name(const struct profile *p)
{
	const char *unit = profile_string(p, profile_about_get(p)->unit);

	if (!strcmp(unit, "samples") || !strcmp(unit, "count"))
		return "samples";
	return strcmp(unit, "percent") ? "period" : ABOUT_UNIT_PERCENT;
}

/* What differs is not told; @if_differs says so where that has a name. */
static void merge(const struct hierarchy_about *a, const char **all, const char *one,
		  const char *if_differs)
{
	if (!a->profiles)
		*all = one;
	else if (!*all || !one || strcmp(*all, one) != 0)
		*all = if_differs;
}

static bool has_event(const struct hierarchy_about *a, const char *name)
{
	for (size_t at = 0; at < a->events.len; at += strlen(a->events.data + at) + 1)
		if (!strcmp(a->events.data + at, name))
			return true;
	return false;
}

static void add_events(struct hierarchy_about *a, const struct import_facts *facts)
{
	const char *name = facts->events.data, *chosen = NULL;

	for (uint32_t i = 0; i < facts->event_count; i++, name += strlen(name) + 1) {
		if ((int)i == facts->event)
			chosen = name;
		if (!has_event(a, name))
			buffer_add(&a->events, name, strlen(name) + 1);
	}
	if (!a->profiles && chosen)
		buffer_add_text(&a->event, chosen);
	a->has_event = chosen && (!a->profiles || a->has_event) && a->event.data &&
		       !strcmp(a->event.data, chosen);
}

void hierarchy_about_warn(struct hierarchy_about *a, const char *name, const struct buffer *lines)
{
	for (const char *at = lines->len ? lines->data : ""; *at;) {
		size_t len = strcspn(at, "\n");

		buffer_add_text(&a->warnings, a->warnings.len ? "\n" : "");
		if (name) {
			utf8_repair(&a->warnings, name, strlen(name));
			buffer_add_text(&a->warnings, ": ");
		}
		utf8_repair(&a->warnings, at, len);
		at += len + (at[len] == '\n');
	}
}

static int64_t shown_of(const struct profile *p)
{
	uint32_t count;
	const struct profile_sample *rows = profile_samples(p, &count);
	int64_t shown = 0;

	for (uint32_t i = 0; i < count; i++)
		shown += rows[i].weight;
	return shown;
}

/* Of a report that does not show everything. */
static void warn_pruned(struct hierarchy_about *a, const char *name, const struct source *s,
			const struct hierarchy *h)
{
	OWNS(buffer) struct buffer line = { 0 };
	int64_t left_out = h->total - shown_of(s->profile);

	if (h->is_exact)
		return;
	if (h->total > 0 && left_out > 0)
		buffer_print(&line, "the report leaves out %.4g %% of the call graphs",
			     100.0 * left_out / h->total);
	else
		buffer_add_text(&line, "the numbers in the report are rounded");
	buffer_print(&line, ": shares may be off by %.4g points; exact are those of `%s`",
		     h->error_pct, IMPORT_LOSSLESS_COMMAND);
	hierarchy_about_warn(a, name, &line);
}

int hierarchy_about_add(struct hierarchy_about *a, const char *name, const struct source *s,
			const struct hierarchy *h)
{
	merge(a, &a->format, s->format, "mixed");
	merge(a, &a->mode, mode_name(s->facts.mode), NULL);
	merge(a, &a->order, order_name(s->facts.order), NULL);
	merge(a, &a->unit, unit_name(s->profile), ABOUT_UNIT_PERCENT);
	add_events(a, &s->facts);
	if (!a->profiles && strcmp(a->unit, ABOUT_UNIT_PERCENT) != 0)
		weight_print(&a->total, h->total, profile_about_get(s->profile)->decimals);
	else
		a->total.len = 0;
	hierarchy_about_warn(a, name, &s->warnings);
	if (s->facts.pruned)
		warn_pruned(a, name, s, h);
	a->profiles++;
	if (buffer_error(&a->events) || buffer_error(&a->event) || buffer_error(&a->total))
		return -ENOMEM;
	return buffer_error(&a->warnings);
}
