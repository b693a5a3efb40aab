/* SPDX-License-Identifier: Apache-2.0 */
/* What perf writes around the records. */
#include "recording.h"

#include <criterion/criterion.h>
#include <string.h>

#define ATTR_BYTES 64 /* PERF_ATTR_SIZE_VER0 */
#define SAMPLE_ID_ALL (1u << 18)
#define FILE_HEADER_BYTES 104
#define NAME_BYTES 64

enum { RECORD_ATTR = 64, RECORD_EVENT_UPDATE = 78, UPDATE_NAME = 2 };

/* Bits of a byte are the other way round in the other byte order. */
static void add_flags(const struct recording *r, struct buffer *out, uint64_t flags)
{
	uint8_t bytes[8] = { 0 };

	for (int i = 0; i < 64; i++)
		if (flags >> i & 1)
			bytes[i / 8] |= 1 << (r->is_swapped ? 7 - i % 8 : i % 8);
	buffer_add(out, bytes, sizeof(bytes));
}

static void add_attr(const struct recording *r, const struct recording_attr *a, struct buffer *out)
{
	recording_half(r, out, a->type);
	recording_half(r, out, ATTR_BYTES);
	recording_word(r, out, a->config);
	recording_word(r, out, a->period);
	recording_word(r, out, r->sample_type);
	recording_word(r, out, r->read_format);
	add_flags(r, out, a->flags | SAMPLE_ID_ALL);
	recording_word(r, out, 0);
	recording_word(r, out, 0);
}

static void add_name(const struct recording_attr *a, struct buffer *out)
{
	char name[NAME_BYTES] = "";

	if (a->name)
		strncpy(name, a->name, sizeof(name) - 1);
	buffer_add(out, name, sizeof(name));
}

static void finish_pipe(const struct recording *r, struct buffer *out)
{
	struct recording front = *r;

	front.records = (struct buffer){ 0 };
	for (size_t i = 0; i < r->attr_count; i++) {
		struct buffer attr OWNS(buffer) = { 0 }, update OWNS(buffer) = { 0 };

		add_attr(r, &r->attrs[i], &attr);
		recording_word(r, &attr, r->attrs[i].id);
		recording_add(&front, RECORD_ATTR, 0, &attr);
		recording_word(r, &update, UPDATE_NAME);
		recording_word(r, &update, r->attrs[i].id);
		add_name(&r->attrs[i], &update);
		recording_add(&front, RECORD_EVENT_UPDATE, 0, &update);
	}
	recording_word(r, out, 16);
	buffer_add(out, front.records.data, front.records.len);
	buffer_add(out, r->records.data, r->records.len);
	recording_cleanup(&front);
}

/* The feature of the events' descriptions. */
static void add_names(const struct recording *r, struct buffer *out)
{
	recording_half(r, out, r->attr_count);
	recording_half(r, out, ATTR_BYTES);
	for (size_t i = 0; i < r->attr_count; i++) {
		add_attr(r, &r->attrs[i], out);
		recording_half(r, out, 1);
		recording_half(r, out, NAME_BYTES);
		add_name(&r->attrs[i], out);
		recording_word(r, out, r->attrs[i].id);
	}
}

static void finish_file(const struct recording *r, struct buffer *out)
{
	struct buffer names OWNS(buffer) = { 0 };
	size_t attrs_at = FILE_HEADER_BYTES + 8 * r->attr_count;
	size_t data_at = attrs_at + (ATTR_BYTES + 16) * r->attr_count;

	recording_word(r, out, FILE_HEADER_BYTES);
	recording_word(r, out, ATTR_BYTES + 16);
	recording_word(r, out, attrs_at);
	recording_word(r, out, data_at - attrs_at);
	recording_word(r, out, data_at);
	recording_word(r, out, r->records.len);
	recording_word(r, out, 0);
	recording_word(r, out, 0);
	recording_word(r, out, 1 << 12); /* the events' descriptions, and no other feature */
	for (int i = 0; i < 3; i++)
		recording_word(r, out, 0);
	for (size_t i = 0; i < r->attr_count; i++)
		recording_word(r, out, r->attrs[i].id);
	for (size_t i = 0; i < r->attr_count; i++) {
		add_attr(r, &r->attrs[i], out);
		recording_word(r, out, FILE_HEADER_BYTES + 8 * i);
		recording_word(r, out, 8);
	}
	buffer_add(out, r->records.data, r->records.len);
	add_names(r, &names);
	recording_word(r, out, data_at + r->records.len + 16);
	recording_word(r, out, names.len);
	buffer_add(out, names.data, names.len);
}

void recording_finish(const struct recording *r, enum recording_form form, struct buffer *out)
{
	buffer_add(out, r->is_swapped ? "2ELIFREP" : "PERFILE2", 8);
	if (form == RECORDING_PIPE)
		finish_pipe(r, out);
	else
		finish_file(r, out);
	cr_assert(buffer_error(out) == 0);
}
