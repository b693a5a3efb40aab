/* SPDX-License-Identifier: Apache-2.0 */
/* Comments before the entries of an event. */
#include "import/perf_report_reader.h"

static const char *const filters[] = { "# symbol: ", "# comm: ",   "# dso: ",
				       "# thread: ", "# parent: ", "# socket: " };

int report_check_filter(struct report_reader *r, const char *text, const char *end)
{
	for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++)
		if (report_starts_with(text, end, filters[i]))
			return report_refuse(r, -ENOTSUP,
					     "it was filtered: shares are not of everything");
	return 0;
}

static int read_event_count(struct report_reader *r, const char *text, const char *end)
{
	struct report_value value;

	if (!report_read_value(&text, end, &value) || value.is_percent)
		return report_refuse(r, -EBADMSG, "no event count");
	r->period = value.number;
	return 0;
}

static bool is_ruler(const char *text, const char *end)
{
	if (!report_starts_with(text, end, "# .."))
		return false;
	for (text++; text < end; text++)
		if (*text != '.' && *text != ' ')
			return false;
	return true;
}

/* Up to the ruler below the titles. */
int report_read_header(struct report_reader *r)
{
	static const char count[] = "# Event count (approx.): ";
	struct perf_text titles = { "", 0 };
	const char *text, *end;
	int err = 0;

	/* The last line may be cut, and no entry is below it. */
	while (!err && (text = report_next_line(r, &end)) && r->at < r->end) {
		if (text < end && *text != '#')
			return report_refuse(r, -ENOTSUP, "its columns have no ruler, as with -t");
		if (is_ruler(text, end))
			return report_read_ruler(r, titles, (struct perf_text){ text, end - text });
		titles = (struct perf_text){ text, end - text };
		err = report_check_filter(r, text, end);
		if (!err && report_starts_with(text, end, count))
			err = read_event_count(r, text + sizeof(count) - 1, end);
	}
	return err ? err : report_refuse(r, -EBADMSG, "the file ends before its first entry");
}
