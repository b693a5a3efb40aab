/* SPDX-License-Identifier: Apache-2.0 */
/* A report has a block of text for each event, which begins with its number of samples. */
#include "import/perf_report.h"
#include "import/perf_report_reader.h"

static void reader_cleanup(struct report_reader *r)
{
	report_reset_own(r);
	stack_builder_cleanup(&r->builder);
	text_cache_fini(&r->names);
	free(r->stacks.rows);
	free(r->graph.nodes);
	free(r->graph.path);
	free(r->graph.last);
}

static const char *find_line_end(const char *at, const char *end, const char **next)
{
	const char *stop = memchr(at, '\n', end - at);

	*next = stop ? stop + 1 : end;
	if (!stop)
		stop = end;
	return stop > at && stop[-1] == '\r' ? stop - 1 : stop;
}

const char *report_next_line(struct report_reader *r, const char **end)
{
	const char *text = r->at;

	if (text == r->end)
		return NULL;
	r->line_number++;
	*end = find_line_end(text, r->end, &r->at);
	return text;
}

/* `435  of event 'cpu-clock'`, `12K of events 'a, b'`; *@name is what is in quotes. */
static bool read_samples(struct report_reader *r, const char *text, const char *end,
			 struct perf_text *name)
{
	const char *quote = memchr(text, '\'', end - text), *last = end;
	struct report_value value;

	if (!report_read_value(&text, end, &value) || value.is_percent || text == end)
		return false;
	r->samples = value.number;
	r->samples_unit = *text == 'K' ? 1000 : *text == 'M' ? 1000000 : 1;
	if (r->samples > INT64_MAX / 1000000 - 1)
		return false;
	if (!quote)
		return false;
	while (last[-1] != '\'')
		last--;
	*name = (struct perf_text){ quote + 1, last > quote + 1 ? last - 1 - (quote + 1) : 0 };
	return name->len;
}

static int add_event(struct report_reader *r, struct perf_text name, int *event)
{
	*event = import_add_event(r->facts, name.text, name.len);
	return *event < 0 ? *event : 0;
}

/* The events of a group are one block, with a number of each in every place. */
static int refuse_group(struct report_reader *r, struct perf_text names)
{
	const char *at = names.text, *end = names.text + names.len;
	int event, err = 0;

	while (at < end && !err) {
		const char *stop = memmem(at, end - at, ", ", 2);

		err = add_event(r, (struct perf_text){ at, (stop ? stop : end) - at }, &event);
		at = stop ? stop + 2 : end;
	}
	return err ? err
		   : report_refuse_mode(r, IMPORT_MODE_GRAPH,
					"a report of --group shows the graphs of one event only");
}

static bool is_chosen(const struct report_reader *r, struct perf_text name)
{
	const char *asked = r->file->request->event;

	if (r->facts->event >= 0)
		return false;
	return !asked || (strlen(asked) == name.len && memcmp(asked, name.text, name.len) == 0);
}

static int read_event(struct report_reader *r, const char *text, const char *end)
{
	struct report_reader header = *r;
	struct perf_text name = { 0 };
	bool is_group = memmem(text, end - text, " of events '", 12);
	int event, err;

	if (!read_samples(&header, text, end, &name))
		return report_refuse(r, -EBADMSG, "no number of an event's samples");
	if (is_group)
		return refuse_group(r, name);
	err = add_event(r, name, &event);
	if (err || !is_chosen(r, name))
		return err;
	r->samples = header.samples;
	r->samples_unit = header.samples_unit;
	r->facts->event = event;
	return report_read_event(r);
}

static int read_events(struct report_reader *r)
{
	const char *text, *end;
	bool is_empty = true;
	int err = 0;

	while (!err && (text = report_next_line(r, &end))) {
		if (report_starts_with(text, end, REPORT_EVENT))
			err = read_event(r, text + strlen(REPORT_EVENT), end);
		else if (r->facts->event < 0)
			err = report_check_filter(r, text, end);
		is_empty &= text == end || *text == '#';
	}
	if (!err && !r->facts->event_count)
		return import_refuse(r->why, -EBADMSG,
				     is_empty ? "the perf report is of a recording without samples"
					      : "the perf report names no event");
	return err;
}

int import_perf_report(const struct import_file *file, struct profile *out,
		       struct import_facts *facts, struct buffer *why)
{
	OWNS(reader)
	struct report_reader r = {
		.file = file,
		.at = file->bytes,
		.passed = file->bytes,
		.end = file->bytes + file->len,
		.profile = out,
		.facts = facts,
		.why = why,
		.builder.profile = out,
	};
	int read, err;

	facts->event = -1;
	text_cache_init(&r.names);
	err = read_events(&r);
	if (err == -E2BIG && !why->len)
		return report_refuse(&r, err, "more than can be held");
	if (err)
		return err;
	read = facts->event;
	err = import_choose_event(file, facts, why);
	if (err)
		return err;
	facts->event = read;
	import_warn_events(file, facts, why);
	return 0;
}

bool perf_report_is_it(const void *bytes, size_t len)
{
	const char *at = bytes, *end = at + len;

	while (at < end && (*at == '#' || *at == '\n' || *at == '\r')) {
		const char *text = at, *stop = find_line_end(text, end, &at);

		if (report_starts_with(text, stop, REPORT_EVENT) ||
		    report_starts_with(text, stop, "# Total Lost Samples: ") ||
		    report_starts_with(text, stop, "# To display the perf.data header info, "))
			return true;
	}
	return false;
}
