/* SPDX-License-Identifier: Apache-2.0 */
/* Records one after the other, some of which hold more of them, compressed. */
#include "import/perf_data_reader.h"
#include "import/perf_data_zstd.h"

#define PASSED_EVERY (1u << 20)

struct walk {
	struct perf_data *d;
	perf_record_function *see;
	struct perf_zstd zstd;
	uint64_t number;
	size_t at; /* of the record at hand, in the file */
};

static void walk_cleanup(struct walk *w)
{
	perf_zstd_fini(&w->zstd);
}

/* Its size; 0: it is not whole; -EBADMSG: none can be. */
static int take_record(const struct walk *w, const uint8_t *bytes, size_t len,
		       struct perf_record *record)
{
	struct perf_wire wire = perf_wire_of(bytes, len, w->d->is_swapped);
	uint16_t size;

	record->type = perf_take_u32(&wire);
	record->misc = perf_take_u16(&wire);
	size = perf_take_u16(&wire);
	if (wire.c.short_read)
		return 0;
	if (size < sizeof(struct perf_event_header))
		return -EBADMSG;
	record->body = perf_take_part(&wire, size - sizeof(struct perf_event_header));
	record->number = w->number;
	record->at = w->at;
	return wire.c.short_read ? 0 : size;
}

static ssize_t see_unpacked(void *arg, const uint8_t *bytes, size_t len)
{
	struct walk *w = arg;
	struct perf_record record;
	size_t taken = 0;
	int err = 0;

	while (!err) {
		int size = take_record(w, bytes + taken, len - taken, &record);

		if (size < 0)
			return perf_data_refuse(w->d, size, w->at, "a damaged record in it");
		if (!size)
			return taken;
		taken += size;
		w->number++;
		err = record.type < PERF_DATA_ATTR ? w->see(w->d, &record) : 0;
	}
	return err;
}

static int unpack(struct walk *w, struct perf_record *record)
{
	struct perf_wire *body = &record->body;
	uint64_t len = cursor_left(&body->c);
	struct perf_wire data;
	int err;

	if (record->type == PERF_DATA_COMPRESSED2)
		len = perf_take_u64(body);
	data = perf_take_part(body, len);
	if (data.c.short_read)
		return perf_data_refuse(w->d, -EBADMSG, w->at, "a damaged record");
	err = perf_zstd_unpack(&w->zstd, data.c.at, cursor_left(&data.c), see_unpacked, w);
	if (err == -EBADMSG && !w->d->why->len)
		return perf_data_refuse(w->d, err, w->at, "a damaged compressed record");
	if (err == -E2BIG && !w->d->why->len)
		return perf_data_refuse(w->d, err, w->at, "a compressed record of far too much");
	return err;
}

/* Some records have data behind them that their size does not tell. */
static uint64_t extra_len(const struct perf_record *record)
{
	struct perf_wire body = record->body;

	if (record->type == PERF_DATA_AUXTRACE)
		return perf_take_u64(&body);
	if (record->type == PERF_DATA_TRACING)
		return ((uint64_t)perf_take_u32(&body) + 7) / 8 * 8;
	return 0;
}

static int see_record(struct walk *w, struct perf_record *record)
{
	w->number++;
	if (record->type == PERF_DATA_COMPRESSED || record->type == PERF_DATA_COMPRESSED2)
		return unpack(w, record);
	return w->see(w->d, record);
}

int perf_data_walk(struct perf_data *d, perf_record_function *see)
{
	OWNS(walk) struct walk w = { .d = d, .see = see, .at = d->data_at };
	const uint8_t *bytes = (const uint8_t *)d->file->bytes;
	size_t passed = w.at;
	int err = 0;

	while (w.at < d->data_end && !err) {
		struct perf_record record;
		size_t left = d->data_end - w.at;
		int size = take_record(&w, bytes + w.at, left, &record);
		uint64_t extra;

		if (size < 0)
			return perf_data_refuse(d, size, w.at, "a damaged record");
		extra = size ? extra_len(&record) : 0;
		if (!size || extra > left - size) {
			d->is_cut = true;
			break;
		}
		err = see_record(&w, &record);
		w.at += size + extra;
		if (w.at - passed < PASSED_EVERY)
			continue;
		passed = w.at;
		import_passed(d->file, d->file->bytes + passed);
	}
	d->is_cut |= w.zstd.have > 0;
	return err;
}
