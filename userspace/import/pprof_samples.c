/* SPDX-License-Identifier: Apache-2.0 */
/* Samples, straight from the bytes: whatever one names must be there. */
#include "import/pprof_reader.h"
#include "import/pprof_wire.h"
#include "profile/pprof_names.h"

#include <inttypes.h>

/* Fields of Sample and Label in profile.proto. */
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_STR = 2, LABEL_NUM = 3 };

static int add_location_id(struct pprof_sample *s, uint64_t id)
{
	if (s->location_count == s->location_room) {
		size_t room = s->location_room ? 2 * s->location_room : 128;
		uint64_t *grown = reallocarray(s->locations, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		s->locations = grown;
		s->location_room = room;
	}
	s->locations[s->location_count++] = id;
	return 0;
}

static int add_value(struct pprof_reader *r, uint64_t value)
{
	if (r->sample.value_count == r->m->pb->n_sample_type)
		return -EBADMSG;
	r->sample.values[r->sample.value_count++] = (int64_t)value;
	return 0;
}

/* Numbers come one by one, or many in a field of bytes. */
static int take_numbers(struct pprof_reader *r, struct pprof_field *f)
{
	bool is_location = f->number == SAMPLE_LOCATION;
	int err = 0;

	if (!f->is_bytes)
		return is_location ? add_location_id(&r->sample, f->value) : add_value(r, f->value);
	while (cursor_left(&f->bytes) && !err) {
		uint64_t number = pprof_take_varint(&f->bytes);

		if (f->bytes.short_read)
			return -EBADMSG;
		err = is_location ? add_location_id(&r->sample, number) : add_value(r, number);
	}
	return err;
}

static uint32_t id_of(int64_t number)
{
	return number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
}

/* Labels that we do not know have no place in the model. */
static int keep_label(struct pprof_reader *r, uint64_t key_at, uint64_t str, int64_t num)
{
	const ProtobufCBinaryData *key = &r->m->pb->string_table[key_at];
	struct pprof_sample *s = &r->sample;

	if (pprof_is_text(key, PPROF_LABEL_PID))
		s->thread.pid = id_of(num);
	else if (pprof_is_text(key, PPROF_LABEL_TID))
		s->thread.tid = id_of(num);
	else if (pprof_is_text(key, PPROF_LABEL_IDENT))
		s->thread.ident = (uint64_t)num;
	else if (pprof_is_text(key, PPROF_LABEL_TIME))
		s->timestamp_ns = (uint64_t)num;
	else if (pprof_is_text(key, PPROF_LABEL_THREAD))
		return pprof_add_string(r, (int64_t)str, &s->thread.name);
	else if (pprof_is_text(key, PPROF_LABEL_PROCESS))
		return pprof_add_string(r, (int64_t)str, &s->thread.process);
	return 0;
}

static int take_label(struct pprof_reader *r, struct cursor c)
{
	uint64_t key = 0, str = 0, num = 0;

	while (cursor_left(&c)) {
		struct pprof_field f;

		if (!pprof_take_field(&c, &f))
			return -EBADMSG;
		if (f.number == LABEL_KEY)
			key = f.value;
		else if (f.number == LABEL_STR)
			str = f.value;
		else if (f.number == LABEL_NUM)
			num = f.value;
	}
	if (key >= r->m->pb->n_string_table || str >= r->m->pb->n_string_table)
		return -EBADMSG;
	return keep_label(r, key, str, (int64_t)num);
}

static int take_field(struct pprof_reader *r, struct pprof_field *f)
{
	switch (f->number) {
	case SAMPLE_LOCATION:
	case SAMPLE_VALUE:
		return take_numbers(r, f);
	case SAMPLE_LABEL:
		return f->is_bytes ? take_label(r, f->bytes) : -EBADMSG;
	}
	return 0;
}

static int add_location(struct pprof_reader *r, uint64_t id)
{
	uint64_t at = r->m->is_numbered ? id - 1 : pprof_find_location(r->m, id);
	size_t end;
	int err = 0;

	if (at >= r->m->pb->n_location)
		return -EBADMSG;
	end = r->first[at + 1];
	if (end - r->first[at] > r->frames_left)
		return -E2BIG;
	r->frames_left -= end - r->first[at];
	for (size_t f = r->first[at]; f < end && !err; f++)
		err = stack_builder_push(&r->builder, r->frames[f]);
	return err;
}

static int add_stack(struct pprof_reader *r)
{
	int err = 0;

	stack_builder_start(&r->builder);
	for (size_t i = r->sample.location_count; i-- > 0 && !err;)
		err = add_location(r, r->sample.locations[i]);
	return err;
}

/* Another program's file may say by its first sample alone that the order matters. */
static void see_order(struct pprof_reader *r)
{
	uint32_t samples;

	profile_samples(r->profile, &samples);
	if (!samples && r->sample.timestamp_ns)
		profile_about(r->profile)->keeps_order = true;
}

static int add_sample(struct pprof_reader *r)
{
	const struct pprof_sample *s = &r->sample;
	struct profile_sample row = { .timestamp_ns = s->timestamp_ns };
	int err;

	if (!s->value_count || s->value_count != r->m->pb->n_sample_type)
		return -EBADMSG;
	row.weight = s->values[r->weight_at];
	row.count = r->count_at == SIZE_MAX ? 1 : (uint64_t)s->values[r->count_at];
	err = add_stack(r);
	if (!err)
		err = profile_add_thread(r->profile, &s->thread, &row.thread);
	if (err)
		return err;
	see_order(r);
	row.stack = stack_builder_stack(&r->builder);
	return profile_add_sample(r->profile, &row);
}

static int take_sample(struct pprof_reader *r, struct cursor c)
{
	int err = 0;

	r->sample.location_count = r->sample.value_count = 0;
	r->sample.thread = (struct profile_thread){ 0 };
	r->sample.timestamp_ns = 0;
	while (cursor_left(&c) && !err) {
		struct pprof_field f;

		err = pprof_take_field(&c, &f) ? take_field(r, &f) : -EBADMSG;
	}
	return err ? err : add_sample(r);
}

int pprof_add_samples(struct pprof_reader *r, struct buffer *why)
{
	struct cursor c = r->m->bytes;
	struct pprof_field f;
	uint64_t number = 0;
	int err = 0;

	r->sample.values = calloc(r->m->pb->n_sample_type + 1, sizeof(*r->sample.values));
	if (!r->sample.values)
		return -ENOMEM;
	while (!err && cursor_left(&c) && pprof_take_field(&c, &f)) {
		if (f.number != PPROF_FIELD_SAMPLE || !f.is_bytes)
			continue;
		number++;
		err = take_sample(r, f.bytes);
	}
	if (err == -EBADMSG)
		return import_refuse(
			why, err,
			"pprof: sample %" PRIu64 " is damaged, or names what is not there", number);
	return err;
}
