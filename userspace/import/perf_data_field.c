/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a sample, which are those that its event asked for. */
#include "import/perf_data_reader.h"

const struct perf_attr *perf_data_attr_of(const struct perf_data *d,
					  const struct perf_record *record)
{
	uint64_t type = d->attrs->sample_type, id;
	struct perf_wire w = record->body;

	if (d->attr_count == 1)
		return d->attrs;
	if (!(type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID)))
		return d->attrs;
	if (!(type & PERF_SAMPLE_IDENTIFIER))
		perf_skip(&w,
			  8 * __builtin_popcountll(type & (PERF_SAMPLE_IP | PERF_SAMPLE_TID |
							   PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR)));
	id = perf_take_u64(&w);
	return perf_data_find_attr(d, id);
}

/* Words of one counter's value, and of what is told of it. */
static unsigned int value_words(uint64_t format)
{
	return 1 + __builtin_popcountll(format & (PERF_FORMAT_ID | PERF_FORMAT_LOST));
}

unsigned int perf_time_words(uint64_t format)
{
	return __builtin_popcountll(
		format & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING));
}

static void skip_counters(struct perf_wire *w, uint64_t format)
{
	uint64_t count = 1, words;

	if (format & PERF_FORMAT_GROUP)
		count = perf_take_u64(w);
	if (__builtin_mul_overflow(count, (uint64_t)value_words(format), &words) ||
	    words > cursor_left(&w->c) / 8)
		w->c.short_read = true;
	else
		perf_skip(w, 8 * (words + perf_time_words(format)));
}

/* What comes behind the call chain is of no use here. Source:
 * linux/perf_event.h */
bool perf_take_sample(const struct perf_attr *attr, const struct perf_record *record,
		      struct perf_sample *s)
{
	uint64_t type = attr->sample_type;
	struct perf_wire w = record->body;

	*s = (struct perf_sample){ .period = attr->period ? attr->period : 1 };
	if (type & PERF_SAMPLE_IDENTIFIER)
		perf_take_u64(&w);
	if (type & PERF_SAMPLE_IP)
		s->ip = perf_take_u64(&w);
	if (type & PERF_SAMPLE_TID) {
		s->pid = perf_take_u32(&w);
		s->tid = perf_take_u32(&w);
	}
	if (type & PERF_SAMPLE_TIME)
		s->time = perf_take_u64(&w);
	perf_skip(&w, 8 * __builtin_popcountll(type & (PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
						       PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU)));
	if (type & PERF_SAMPLE_PERIOD)
		s->period = perf_take_u64(&w);
	s->counters = w;
	if (type & PERF_SAMPLE_READ)
		skip_counters(&w, attr->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		s->chain_len = perf_take_u64(&w);
		s->chain = w;
		if (s->chain_len > cursor_left(&w.c) / 8)
			return false;
	}
	return !w.c.short_read;
}
