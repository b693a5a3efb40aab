/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a perf.data: what they count, and whose sample is whose. */
#include "base/utf8.h"
#include "import/perf_data_reader.h"
#include "import/perf_line.h"

#define MOST_ATTRS (1u << 20)

/* Who has the other byte order has the bits of a byte the other way round, too.
 */
static uint64_t take_flags(struct perf_wire *w)
{
	const uint8_t *bytes = take_bytes(&w->c, sizeof(uint64_t));
	uint64_t flags = 0;

	for (unsigned int i = 0; bytes && i < 64; i++)
		flags |= (uint64_t)(bytes[i / 8] >> (w->is_swapped ? 7 - i % 8 : i % 8) & 1) << i;
	return flags;
}

/* Source: struct perf_event_attr in linux/perf_event.h */
static struct perf_attr take_attr(struct perf_wire *w)
{
	struct perf_attr attr = { .type = perf_take_u32(w), .event = -1 };
	uint32_t size = perf_take_u32(w);

	attr.config = perf_take_u64(w);
	attr.period = perf_take_u64(w);
	attr.sample_type = perf_take_u64(w);
	attr.read_format = perf_take_u64(w);
	attr.flags = take_flags(w);
	if (attr.flags >> PERF_ATTR_FREQ & 1)
		attr.period = 0;
	if (!size) /* of the first perf that had a size */
		size = PERF_ATTR_SIZE_VER0;
	if (size < PERF_ATTR_SIZE_VER0)
		w->c.short_read = true;
	else /* six words and more */
		perf_skip(w, size - 48);
	return attr;
}

int perf_data_add_attr(struct perf_data *d, struct perf_wire *w, uint32_t *attr)
{
	struct perf_attr row = take_attr(w);

	if (w->c.short_read || d->attr_count == MOST_ATTRS)
		return -EBADMSG;
	if (d->attr_count == d->attr_room) {
		uint32_t room = d->attr_room ? 2 * d->attr_room : 8;
		struct perf_attr *grown = reallocarray(d->attrs, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		d->attrs = grown;
		d->attr_room = room;
	}
	*attr = d->attr_count;
	d->attrs[d->attr_count++] = row;
	return 0;
}

int perf_data_add_counters(struct perf_data *d, uint32_t attr, struct perf_wire w)
{
	int err = 0;

	while (cursor_left(&w.c) >= sizeof(uint64_t) && !err) {
		struct perf_counter counter = { .id = perf_take_u64(&w), .attr = attr };
		uint32_t number;

		err = table_add(&d->counters, &counter, &number);
	}
	return err;
}

struct perf_counter *perf_data_find_counter(const struct perf_data *d, uint64_t id)
{
	uint32_t number;

	return table_find(&d->counters, &id, &number) ? table_row(&d->counters, number) : NULL;
}

const struct perf_attr *perf_data_find_attr(const struct perf_data *d, uint64_t id)
{
	const struct perf_counter *counter;

	if (d->attr_count == 1 || !id)
		return d->attrs;
	counter = perf_data_find_counter(d, id);
	return counter ? &d->attrs[counter->attr] : NULL;
}

int perf_data_name_attr(struct perf_data *d, uint32_t attr, const char *name, size_t len)
{
	struct buffer valid OWNS(buffer) = { 0 };

	if (!len)
		return 0;
	utf8_repair(&valid, name, len);
	if (buffer_error(&valid))
		return -ENOMEM;
	return strings_add(&d->strings, valid.data, valid.len, &d->attrs[attr].name);
}

static bool is_dummy(const struct perf_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY;
}

static int name_unit(struct perf_data *d, struct perf_attr *attr)
{
	struct perf_text name = { strings_text(&d->strings, attr->name),
				  strings_len(&d->strings, attr->name) };
	struct perf_text unit = perf_event_unit(&name);
	OWNS_MEM char *copy = NULL;

	if (!(attr->sample_type & (PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ)) && !attr->period)
		unit = (struct perf_text){ "samples", strlen("samples") };
	copy = strndup(unit.text, unit.len); /* an addition may move the name */
	return copy ? strings_add(&d->strings, copy, unit.len, &attr->unit) : -ENOMEM;
}

static int name_event(struct perf_data *d, struct perf_attr *attr)
{
	struct buffer name OWNS(buffer) = { 0 };
	int err = 0;

	if (!attr->name) {
		perf_data_print_event(attr, &name);
		err = buffer_error(&name);
		if (!err)
			err = strings_add(&d->strings, name.data, name.len, &attr->name);
	}
	if (!err)
		err = name_unit(d, attr);
	if (err || is_dummy(attr))
		return err;
	attr->event = import_add_event(d->facts, strings_text(&d->strings, attr->name),
				       strings_len(&d->strings, attr->name));
	return attr->event < 0 ? attr->event : 0;
}

int perf_data_name_events(struct perf_data *d)
{
	int err = 0;

	for (uint32_t i = 0; i < d->attr_count && !err; i++)
		err = name_event(d, &d->attrs[i]);
	return err;
}
