/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a file of perf's. */
#include "import/import_file.h"

#include <string.h>

const char *import_event_name(const struct import_facts *facts, uint32_t i)
{
	const char *name = facts->events.data;

	while (i--)
		name += strlen(name) + 1;
	return name;
}

int import_add_event(struct import_facts *facts, const char *name, size_t len)
{
	const char *at = facts->events.data;
	int i = 0;

	for (; i < (int)facts->event_count; i++, at += strlen(at) + 1)
		if (strlen(at) == len && memcmp(at, name, len) == 0)
			return i;
	buffer_add(&facts->events, name, len);
	buffer_add(&facts->events, "", 1);
	if (buffer_error(&facts->events))
		return -ENOMEM;
	facts->event_count++;
	return i;
}

/* "a, b, c", without the @skip-th. */
static void add_names(const struct import_facts *facts, int skip, struct buffer *out)
{
	bool is_first = true;

	for (uint32_t i = 0; i < facts->event_count; i++) {
		if ((int)i == skip)
			continue;
		buffer_print(out, "%s%s", is_first ? "" : ", ", import_event_name(facts, i));
		is_first = false;
	}
}

int import_choose_event(const struct import_file *file, struct import_facts *facts,
			struct buffer *why)
{
	const struct import_request *r = file->request;

	facts->event =
		facts->event_count == 1 || (r->is_first_event && facts->event_count) ? 0 : -1;
	if (!r->event)
		return 0;
	for (uint32_t i = 0; i < facts->event_count; i++)
		if (!strcmp(import_event_name(facts, i), r->event))
			return facts->event = i, 0;
	why->len = 0;
	buffer_print(why, "there is no event \"%s\"; there %s ", r->event,
		     facts->event_count == 1 ? "is" : "are");
	if (facts->event_count)
		add_names(facts, -1, why);
	else
		buffer_add_text(why, "none with a name");
	return -ENOENT;
}

void import_warn_events(const struct import_file *file, const struct import_facts *facts,
			struct buffer *why)
{
	if (facts->event < 0 || facts->event_count < 2 || file->request->event)
		return;
	buffer_print(why, "%sonly the event %s is shown; there are also ", why->len ? "\n" : "",
		     import_event_name(facts, facts->event));
	add_names(facts, facts->event, why);
}
