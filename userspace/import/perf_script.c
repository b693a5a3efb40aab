/* SPDX-License-Identifier: Apache-2.0 */
/* Samples are blocks of lines with a blank one after each, or a line each. */
#include "import/perf_script.h"
#include "import/names.h"
#include "import/perf_reader.h"

#include <string.h>

#define PASSED_EVERY (1 << 20) /* bytes */

static void reader_cleanup(struct perf_reader *r)
{
	stack_builder_cleanup(&r->builder);
	text_cache_fini(&r->cache);
	free(r->lines);
}

static bool is_record(const struct perf_header *h)
{
	static const char start[] = "PERF_RECORD_";

	return h->event.len >= sizeof(start) - 1 &&
	       memcmp(h->event.text, start, sizeof(start) - 1) == 0;
}

/* Lines of mappings, of processes and so on, which perf shows between samples if asked. */
static int start_sample(struct perf_reader *r, const char *text, const char *end)
{
	int err = perf_finish_sample(r);

	r->count = 0;
	if (err)
		return err;
	if (!perf_read_header(text, end, &r->header))
		return perf_refuse(r, -EBADMSG, "neither a sample nor a frame of one");
	if (text - r->passed >= PASSED_EVERY) {
		r->passed = text;
		import_passed(r->file, text);
	}
	r->has_header = !is_record(&r->header);
	return r->has_header ? perf_see_event(r) : 0;
}

/* `  file.c:12`, which -F +srcline puts below a frame. */
static bool is_source_line(const char *text, const char *end)
{
	const char *at = end;

	while (at > text && perf_is_digit(at[-1]))
		at--;
	return at < end && at > text + 2 && at[-1] == ':' && perf_is_blank(text[0]) &&
	       perf_is_blank(text[1]);
}

/* A command may read like an address, where it stands to the right; a tab is a frame's. */
static const char *find_symbol(const struct perf_reader *r, const char *text, const char *end)
{
	struct perf_header other;
	const char *symbol;

	if (r->count && *r->lines[0].all.text == '\t' && *text != '\t')
		return NULL;
	if (!r->has_header || !perf_is_blank(*text))
		return NULL;
	symbol = perf_find_symbol(text, end);
	if (!symbol || *text == '\t' || !r->header.rest.len)
		return symbol;
	return perf_read_header(text, end, &other) ? NULL : symbol;
}

static int read_line(struct perf_reader *r, const char *text, const char *end)
{
	const char *symbol;

	while (end > text && (end[-1] == '\r' || perf_is_blank(end[-1])))
		end--;
	if (end == text)
		return perf_finish_sample(r);
	if (!r->has_header && *text == '#')
		return 0;
	symbol = find_symbol(r, text, end);
	if (symbol)
		return perf_take_line(r, text, symbol, end);
	if (r->has_header && r->count && is_source_line(text, end))
		return 0;
	return start_sample(r, text, end);
}

static bool has_module(const struct perf_text *line)
{
	struct perf_frame frame;

	return perf_read_frame(line->text, line->text + line->len, &frame) && frame.has_module;
}

/* The last line has no end: it is cut if it has no module where others have one. */
static bool is_cut(const struct perf_reader *r)
{
	bool others_have = r->has_modules;

	if (!r->has_header)
		return false;
	if (!r->count)
		return others_have && !has_module(&r->header.rest);
	for (size_t i = 0; i + 1 < r->count && !others_have; i++)
		others_have = has_module(&r->lines[i].all);
	return others_have && !has_module(&r->lines[r->count - 1].all);
}

static bool is_blank_line(const char *text, const char *end)
{
	while (text < end && perf_is_blank(*text))
		text++;
	return text == end;
}

static int read_lines(struct perf_reader *r)
{
	int err = 0;

	while (r->at < r->end && !err) {
		const char *text = r->at, *stop = memchr(text, '\n', r->end - text);

		r->line_number++;
		r->at = stop ? stop + 1 : r->end;
		if (!stop && *text == '\t' && is_blank_line(text, r->end))
			return perf_refuse(r, -EBADMSG, "the file ends inside of a sample");
		err = read_line(r, text, stop ? stop : r->end);
		if (!err && !stop && is_cut(r))
			return perf_refuse(r, -EBADMSG, "the file ends inside of a sample");
	}
	if (!err)
		err = perf_finish_sample(r);
	if (!err && !r->samples && !r->others)
		return import_refuse(r->why, -EBADMSG, "there is no sample in it");
	return err;
}

static int set_unit(struct perf_reader *r)
{
	if (r->is_mixed) {
		buffer_print(r->why, "periods of events that count different things are added up");
		r->unit = (struct perf_text){ "periods", strlen("periods") };
	}
	return names_add(r->profile, r->unit.text, r->unit.len, &profile_about(r->profile)->unit);
}

int import_perf_script(const struct import_file *file, struct profile *out,
		       struct import_facts *facts, struct buffer *why)
{
	OWNS(reader)
	struct perf_reader r = {
		.file = file,
		.facts = facts,
		.at = file->bytes,
		.passed = file->bytes,
		.end = file->bytes + file->len,
		.why = why,
		.profile = out,
		.builder.profile = out,
	};
	int err;

	text_cache_init(&r.cache);
	err = read_lines(&r);
	if (err == -E2BIG && !why->len)
		return perf_refuse(&r, err, "more than can be held");
	if (!err)
		err = import_choose_event(file, facts, why);
	if (!err)
		err = set_unit(&r);
	if (!err)
		import_warn_events(file, facts, why);
	return err;
}

bool perf_script_is_it(const void *bytes, size_t len)
{
	const char *at = bytes, *end = at + len;
	struct perf_header header;

	while (at < end) {
		const char *stop = memchr(at, '\n', end - at);
		const char *line = at;

		if (!stop)
			stop = end;
		at = stop < end ? stop + 1 : end;
		while (stop > line && (stop[-1] == '\r' || perf_is_blank(stop[-1])))
			stop--;
		if (stop == line || *line == '#')
			continue;
		return perf_read_header(line, stop, &header);
	}
	return false;
}
