/* SPDX-License-Identifier: Apache-2.0 */
/* What a perf.data has in front of its records. */
#include "import/perf_data.h"
#include "import/perf_data_reader.h"

#define MAGIC "PERFILE2"
#define MAGIC_SWAPPED "2ELIFREP"
#define PIPE_HEADER_BYTES 16

bool perf_data_is_it(const void *bytes, size_t len)
{
	return len >= PERF_MAGIC_BYTES && (memcmp(bytes, MAGIC, PERF_MAGIC_BYTES) == 0 ||
					   memcmp(bytes, MAGIC_SWAPPED, PERF_MAGIC_BYTES) == 0);
}

/* An event, and where its ids are. */
static int read_attr(struct perf_data *d, struct perf_wire w, uint64_t *ids_left)
{
	struct perf_wire ids;
	struct perf_section s;
	uint32_t attr;
	int err;

	w.c.end -= sizeof(s);
	err = perf_data_add_attr(d, &w, &attr);
	if (err)
		return err;
	w.c.at = w.c.end;
	w.c.end += sizeof(s);
	s = perf_take_section(&w);
	ids = perf_data_open(d, s);
	if (ids.c.short_read || s.len > *ids_left)
		return -EBADMSG;
	*ids_left -= s.len;
	return perf_data_add_counters(d, attr, ids);
}

static int read_attrs(struct perf_data *d, struct perf_section s, uint64_t attr_size)
{
	struct perf_wire w = perf_data_open(d, s);
	uint64_t ids_left = d->file->len;
	int err = 0;

	if (w.c.short_read || attr_size < sizeof(struct perf_section) + PERF_ATTR_SIZE_VER0)
		err = -EBADMSG;
	while (!err && cursor_left(&w.c) >= attr_size)
		err = read_attr(d, perf_take_part(&w, attr_size), &ids_left);
	if (err == -EBADMSG || (!err && !d->attr_count))
		return import_refuse(d->why, -EBADMSG, "perf.data: its events are damaged, or cut");
	return err;
}

/* A file whose size is 0 was never finished: its records go on to the end. */
static void set_data(struct perf_data *d, struct perf_section s)
{
	size_t len = d->file->len;

	d->is_closed = s.len > 0;
	d->data_at = s.at < len ? s.at : len;
	d->data_end = len;
	if (d->is_closed && s.len <= len - d->data_at && s.at <= len)
		d->data_end = s.at + s.len;
	else
		d->is_cut = true;
}

int perf_data_read_header(struct perf_data *d)
{
	struct perf_wire w;
	uint64_t size, attr_size;
	struct perf_section attrs, data;

	d->is_swapped = memcmp(d->file->bytes, MAGIC, PERF_MAGIC_BYTES) != 0;
	w = perf_wire_of(d->file->bytes, d->file->len, d->is_swapped);
	perf_skip(&w, PERF_MAGIC_BYTES);
	size = perf_take_u64(&w);
	d->is_pipe = size == PIPE_HEADER_BYTES;
	d->data_at = PIPE_HEADER_BYTES;
	d->data_end = d->file->len;
	if (d->is_pipe)
		return 0;
	attr_size = perf_take_u64(&w);
	attrs = perf_take_section(&w);
	data = perf_take_section(&w);
	if (w.c.short_read)
		return import_refuse(d->why, -EBADMSG, "perf.data: it ends inside of its header");
	set_data(d, data);
	return read_attrs(d, attrs, attr_size);
}
