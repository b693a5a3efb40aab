/* SPDX-License-Identifier: Apache-2.0 */
/* First pass: what perf's own records say of events, most of them where it
 * wrote into a pipe. */
#include "import/perf_data_reader.h"

#define UPDATE_NAME 2 /* PERF_EVENT_UPDATE__NAME of perf */

static int note_attr(struct perf_data *d, const struct perf_record *record)
{
	struct perf_wire w = record->body;
	uint32_t attr;
	int err = d->is_pipe ? perf_data_add_attr(d, &w, &attr) : 0;

	if (err == -EBADMSG)
		return perf_data_refuse(d, err, record->at, "a damaged event");
	return err || !d->is_pipe ? err : perf_data_add_counters(d, attr, w);
}

static int note_update(struct perf_data *d, const struct perf_record *record)
{
	struct perf_wire w = record->body;
	uint64_t kind = perf_take_u64(&w);
	const struct perf_attr *attr = perf_data_find_attr(d, perf_take_u64(&w));

	if (w.c.short_read || kind != UPDATE_NAME || !attr)
		return 0;
	return perf_data_name_attr(d, attr - d->attrs, (const char *)w.c.at, perf_text_len(&w));
}

int perf_data_note_own(struct perf_data *d, const struct perf_record *record)
{
	struct perf_wire w = record->body;
	uint64_t feature;

	switch (record->type) {
	case PERF_DATA_ATTR:
		return note_attr(d, record);
	case PERF_DATA_EVENT_UPDATE:
		return note_update(d, record);
	case PERF_DATA_BUILD_ID:
		w.c.at -= sizeof(struct perf_event_header);
		return perf_data_add_build_ids(d, w);
	case PERF_DATA_FEATURE:
		feature = perf_take_u64(&w);
		return feature < UINT32_MAX ? perf_data_read_feature(d, feature, w) : 0;
	}
	return 0;
}
