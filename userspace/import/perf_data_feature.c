/* SPDX-License-Identifier: Apache-2.0 */
/* Features: what perf tells of the recording behind its records, or among them
 * in a pipe. */
#include "import/perf_data_reader.h"

/* Numbers of features. Source: tools/perf/util/header.h */
enum { FEATURE_BUILD_ID = 2, FEATURE_OS_RELEASE = 4, FEATURE_EVENT_DESC = 12 };

#define HEADER_BYTES 104
#define FEATURE_WORDS 4 /* of 64 bits; a bit for each feature that there is */

#define BUILD_ID_BYTES 24 /* in a record */
#define BUILD_ID_SIZED (1u << 15)

/* A text with its length, padded with zeros. */
static struct perf_wire take_text(struct perf_wire *w)
{
	uint32_t len = perf_take_u32(w);

	return perf_take_part(w, len);
}

static int read_release(struct perf_data *d, struct perf_wire w)
{
	struct perf_wire text = take_text(&w);

	return strings_add(&d->strings, (const char *)text.c.at, perf_text_len(&text),
			   &d->kernel_release);
}

/* The events once more, in the same order, with their names. */
static int read_event_desc(struct perf_data *d, struct perf_wire w)
{
	uint32_t count = perf_take_u32(&w), attr_size = perf_take_u32(&w);
	int err = 0;

	for (uint32_t i = 0; i < count && i < d->attr_count && !err; i++) {
		uint32_t ids;
		struct perf_wire name;

		perf_skip(&w, attr_size);
		ids = perf_take_u32(&w);
		name = take_text(&w);
		perf_skip(&w, (uint64_t)ids * sizeof(uint64_t));
		if (w.c.short_read)
			break;
		if (!d->attrs[i].name)
			err = perf_data_name_attr(d, i, (const char *)name.c.at,
						  perf_text_len(&name));
	}
	return err;
}

static int add_build_id(struct perf_data *d, uint16_t misc, struct perf_wire w)
{
	struct build_id id = { .len = BUILD_ID_MAX };
	const uint8_t *bytes;
	int64_t build;
	uint32_t path;
	int err;

	perf_skip(&w, sizeof(uint32_t)); /* pid: -1, or the guest's */
	bytes = take_bytes(&w.c, BUILD_ID_BYTES);
	if (!bytes)
		return 0;
	if (misc & BUILD_ID_SIZED && bytes[BUILD_ID_MAX] <= BUILD_ID_MAX)
		id.len = bytes[BUILD_ID_MAX];
	memcpy(id.bytes, bytes, id.len);
	build = perf_tasks_add_build_id(&d->tasks, &id);
	if (build <= 0)
		return build;
	err = strings_add(&d->strings, (const char *)w.c.at, perf_text_len(&w), &path);
	return err ? err : perf_tasks_set_path_build(&d->tasks, path, build);
}

int perf_data_add_build_ids(struct perf_data *d, struct perf_wire w)
{
	int err = 0;

	while (cursor_left(&w.c) && !w.c.short_read && !err) {
		uint16_t misc, size;

		perf_skip(&w, sizeof(uint32_t));
		misc = perf_take_u16(&w);
		size = perf_take_u16(&w);
		if (size < sizeof(struct perf_event_header))
			break;
		err = add_build_id(d, misc,
				   perf_take_part(&w, size - sizeof(struct perf_event_header)));
	}
	return err;
}

int perf_data_read_feature(struct perf_data *d, uint32_t feature, struct perf_wire w)
{
	if (w.c.short_read)
		return d->is_cut = true, 0;
	if (feature == FEATURE_BUILD_ID)
		return perf_data_add_build_ids(d, w);
	if (feature == FEATURE_EVENT_DESC)
		return read_event_desc(d, w);
	if (feature == FEATURE_OS_RELEASE)
		return read_release(d, w);
	return 0;
}

int perf_data_read_features(struct perf_data *d)
{
	struct perf_wire header = perf_wire_of(d->file->bytes, d->file->len, d->is_swapped);
	struct perf_wire table = header;
	uint64_t header_size;
	int err = 0;

	if (d->is_pipe || !d->is_closed || d->is_cut)
		return 0;
	perf_skip(&header, PERF_MAGIC_BYTES);
	header_size = perf_take_u64(&header);
	perf_skip(&header, 7 * sizeof(uint64_t)); /* the size of an event, and three sections */
	if (header_size < HEADER_BYTES)
		return 0; /* of before there were any */
	perf_skip(&table, d->data_end);
	for (uint32_t i = 0; i < FEATURE_WORDS && !err; i++) {
		uint64_t features = perf_take_u64(&header);

		for (; features && !table.c.short_read && !err; features &= features - 1) {
			struct perf_section s = perf_take_section(&table);

			err = perf_data_read_feature(d, i * 64 + __builtin_ctzll(features),
						     perf_data_open(d, s));
		}
	}
	d->is_cut |= table.c.short_read;
	return err;
}
