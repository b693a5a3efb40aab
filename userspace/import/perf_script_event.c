/* SPDX-License-Identifier: Apache-2.0 */
/* Which event a sample of perf script is of, and whether that is the one asked for. */
#include "import/perf_reader.h"

/* No recording has as many. A new name is looked for among all others. */
#define MOST_EVENTS 4096

static bool is_asked_for(const struct perf_reader *r, const struct perf_text *event)
{
	const char *name = r->file->request->event;

	return !name || (event->len == strlen(name) && memcmp(event->text, name, event->len) == 0);
}

int perf_see_event(struct perf_reader *r)
{
	const struct perf_text *event = &r->header.event;
	int number = -1;

	if (r->has_event && perf_is_same(event, &r->event))
		return 0;
	if (event->len)
		number = import_add_event(r->facts, event->text, strnlen(event->text, event->len));
	if (number == -ENOMEM)
		return number;
	if (number >= MOST_EVENTS)
		return perf_refuse(r, -E2BIG, "more events than perf can record");
	if (!r->has_event)
		r->first_event = number;
	r->has_event = true;
	r->event = *event;
	r->is_wanted = is_asked_for(r, event);
	if (r->file->request->is_first_event && !r->file->request->event)
		r->is_wanted = number == r->first_event;
	return 0;
}
