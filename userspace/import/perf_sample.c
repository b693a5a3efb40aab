/* SPDX-License-Identifier: Apache-2.0 */
/* One sample of perf script: its frames, thread, weight and unit. */
#include "import/names.h"
#include "import/perf_reader.h"

#include <inttypes.h>

int perf_refuse(struct perf_reader *r, int err, const char *reason)
{
	return import_refuse(r->why, err, "line %" PRIu64 ": %s", r->line_number, reason);
}

/* 0 where there is no number, or one that is none of a thread. */
static uint32_t id_of(const struct perf_text *digits)
{
	uint64_t id = 0;

	for (size_t i = 0; i < digits->len && id <= UINT32_MAX; i++) {
		if (!perf_is_digit(digits->text[i]))
			return 0;
		id = id * 10 + (digits->text[i] - '0');
	}
	return id <= UINT32_MAX ? (uint32_t)id : 0;
}

/* The command names the thread; it is the process's too where the thread is the first. */
static int find_thread(struct perf_reader *r)
{
	const struct perf_header *h = &r->header;
	struct profile_thread thread = { .pid = id_of(&h->pid), .tid = id_of(&h->tid) };
	int err;

	if (r->samples && perf_is_same(&h->comm, &r->before.comm) &&
	    perf_is_same(&h->pid, &r->before.pid) && perf_is_same(&h->tid, &r->before.tid))
		return 0;
	err = names_add(r->profile, h->comm.text, h->comm.len, &thread.name);
	if (thread.pid == thread.tid)
		thread.process = thread.name;
	r->before = *h;
	return err ? err : profile_add_thread(r->profile, &thread, &r->thread);
}

static int add_frame(struct perf_reader *r, const struct perf_text *line, profile_id *id)
{
	struct perf_frame frame;
	int err;

	perf_read_frame(line->text, line->text + line->len, &frame);
	frame.is_as_printed = r->file->request->is_as_printed;
	err = perf_add_frame(r->profile, &frame, id);
	r->has_modules |= frame.has_module;
	return err;
}

static bool ends_with(const char *text, size_t len, const char *end)
{
	size_t end_len = strlen(end);

	return len >= end_len && memcmp(text + len - end_len, end, end_len) == 0;
}

/* A frame is its text after the address, if that says in which module. */
static int find_frame(struct perf_reader *r, const struct frame_line *line, profile_id *id)
{
	const char *symbol = line->symbol.text;
	size_t len = line->symbol.len;
	int err;

	if (!ends_with(symbol, len, ")") || ends_with(symbol, len, "(inlined)") ||
	    ends_with(symbol, len, "([unknown])"))
		return add_frame(r, &line->all, id);
	*id = text_cache_find(&r->cache, symbol, len, line->hash);
	if (*id != PROFILE_NONE)
		return 0;
	err = add_frame(r, &line->all, id);
	return err ? err : text_cache_add(&r->cache, symbol, len, line->hash, *id);
}

static int add_stack(struct perf_reader *r)
{
	int err = 0;

	for (size_t i = 0; i < r->count; i++)
		text_cache_prefetch_text(&r->cache, r->lines[i].hash);
	stack_builder_start(&r->builder);
	for (size_t i = r->count; i-- > 0 && !err;) {
		profile_id frame;

		err = find_frame(r, &r->lines[i], &frame);
		if (!err)
			err = stack_builder_push(&r->builder, frame);
	}
	return err;
}

static void see_unit(struct perf_reader *r)
{
	static const struct perf_text samples = { "samples", sizeof("samples") - 1 };
	static const struct perf_text periods = { "periods", sizeof("periods") - 1 };
	struct perf_text unit = samples;

	if (r->header.period.len)
		unit = r->header.event.len ? perf_event_unit(&r->header.event) : periods;
	if (r->samples && !perf_is_same(&unit, &r->unit))
		r->is_mixed = true;
	r->unit = unit;
}

static int read_period(struct perf_reader *r, int64_t *weight)
{
	const struct perf_text *period = &r->header.period;

	*weight = period->len ? 0 : 1;
	for (size_t i = 0; i < period->len; i++)
		if (__builtin_mul_overflow(*weight, (int64_t)10, weight) ||
		    __builtin_add_overflow(*weight, (int64_t)(period->text[i] - '0'), weight))
			return perf_refuse(r, -E2BIG, "a period of more than 2^63");
	if (__builtin_add_overflow(r->sum, *weight, &r->sum))
		return perf_refuse(r, -E2BIG, "the periods are more than 2^63 in sum");
	return 0;
}

int perf_take_line(struct perf_reader *r, const char *text, const char *symbol, const char *end)
{
	struct frame_line *line;

	if (r->count == r->room) {
		size_t room = r->room ? 2 * r->room : 128;
		struct frame_line *grown = reallocarray(r->lines, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		r->lines = grown;
		r->room = room;
	}
	line = &r->lines[r->count++];
	line->all = (struct perf_text){ text, end - text };
	line->symbol = (struct perf_text){ symbol, end - symbol };
	line->hash = text_cache_hash(&r->cache, symbol, end - symbol);
	text_cache_prefetch(&r->cache, line->hash);
	return 0;
}

/* Without call chains the one frame is on the sample's own line. */
static int take_own_line(struct perf_reader *r)
{
	const struct perf_text *rest = &r->header.rest;
	const char *end = rest->text + rest->len, *symbol = perf_find_symbol(rest->text, end);

	return symbol ? perf_take_line(r, rest->text, symbol, end) : 0;
}

int perf_finish_sample(struct perf_reader *r)
{
	struct profile_sample sample = { .count = 1 };
	int err = 0;

	if (!r->has_header)
		return 0;
	r->has_header = false;
	if (!r->is_wanted) {
		r->others++;
		return 0;
	}
	if (r->count)
		r->facts->has_chains = true;
	else
		err = take_own_line(r);
	if (!err)
		err = read_period(r, &sample.weight);
	if (!err)
		err = add_stack(r);
	if (!err)
		err = find_thread(r);
	if (err)
		return err;
	see_unit(r);
	r->samples++;
	sample.stack = stack_builder_stack(&r->builder);
	sample.thread = r->thread;
	return profile_add_sample(r->profile, &sample);
}
