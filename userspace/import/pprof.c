/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pprof_message.c makes sure that all is there; here it becomes a profile. Files of
 * other programs are welcome: the weight is the type that the file shows by default.
 */
#include "import/pprof.h"
#include "import/pprof_about.h"
#include "import/pprof_reader.h"
#include "profile/pprof_names.h"

#include <errno.h>
#include <string.h>

/*
 * A location of many inlined lines, named by many samples, would cost far more memory
 * and time than the file has bytes. Real files have a few lines a location.
 */
#define FRAMES_PER_BYTE 16
#define FRAMES_ALWAYS (1u << 20)
#define MAX_STACKS (PPROF_MAX_BYTES / 32) /* 8 bytes a row, up to 24 in its index */

static void pprof_reader_cleanup(struct pprof_reader *r)
{
	profile_free(r->profile);
	free(r->strings);
	free(r->frames);
	free(r->first);
}

static int add_stack(struct pprof_reader *r, const pb_sample *sample, profile_id *id)
{
	struct profile_stack stack = { .prefix = PROFILE_NONE };
	uint32_t rows;
	int err = 0;

	for (size_t i = sample->n_location_id; i-- > 0;) {
		uint32_t at = pprof_find_location(r->m, sample->location_id[i]);
		size_t end = r->first[at + 1];

		if (end - r->first[at] > r->frames_left)
			return -E2BIG;
		r->frames_left -= end - r->first[at];
		for (size_t f = r->first[at]; f < end && !err; f++) {
			stack.frame = r->frames[f];
			err = profile_add_stack(r->profile, &stack, &stack.prefix);
		}
		if (err)
			return err;
	}
	*id = stack.prefix;
	profile_stacks(r->profile, &rows);
	return rows > MAX_STACKS ? -E2BIG : 0;
}

static uint32_t id_of(int64_t number)
{
	return number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
}

/* Labels that we do not know have no place in the model. */
static int read_labels(struct pprof_reader *r, const pb_sample *sample,
		       struct profile_thread *thread, uint64_t *timestamp_ns)
{
	int err = 0;

	for (size_t i = 0; i < sample->n_label && !err; i++) {
		const pb_label *label = sample->label[i];
		const ProtobufCBinaryData *key = &r->m->pb->string_table[label->key];

		if (pprof_is_text(key, PPROF_LABEL_PID))
			thread->pid = id_of(label->num);
		else if (pprof_is_text(key, PPROF_LABEL_TID))
			thread->tid = id_of(label->num);
		else if (pprof_is_text(key, PPROF_LABEL_IDENT))
			thread->ident = (uint64_t)label->num;
		else if (pprof_is_text(key, PPROF_LABEL_TIME))
			*timestamp_ns = (uint64_t)label->num;
		else if (pprof_is_text(key, PPROF_LABEL_THREAD))
			err = pprof_add_string(r, label->str, &thread->name);
		else if (pprof_is_text(key, PPROF_LABEL_PROCESS))
			err = pprof_add_string(r, label->str, &thread->process);
	}
	return err;
}

/* Another program's file may say by its first sample alone that the order matters. */
static void see_order(struct pprof_reader *r, uint64_t timestamp_ns)
{
	uint32_t samples;

	profile_samples(r->profile, &samples);
	if (!samples && timestamp_ns)
		profile_about(r->profile)->keeps_order = true;
}

static int add_sample(struct pprof_reader *r, const pb_sample *from)
{
	struct profile_thread thread = { 0 };
	struct profile_sample sample = {
		.weight = from->value[r->weight_at],
		.count = r->count_at == SIZE_MAX ? 1 : (uint64_t)from->value[r->count_at],
	};
	int err = read_labels(r, from, &thread, &sample.timestamp_ns);

	if (!err)
		err = add_stack(r, from, &sample.stack);
	if (!err)
		err = profile_add_thread(r->profile, &thread, &sample.thread);
	if (err)
		return err;
	see_order(r, sample.timestamp_ns);
	return profile_add_sample(r->profile, &sample);
}

/* The weight is what the file shows by default, the count the column of counts before it. */
static int choose_types(struct pprof_reader *r)
{
	const pb_profile *pb = r->m->pb;
	pb_value_type **types = pb->sample_type;

	if (!pb->n_sample_type)
		return 0;
	r->weight_at = pb->n_sample_type - 1;
	for (size_t i = 0; i < pb->n_sample_type && pb->default_sample_type; i++)
		if (types[i]->type == pb->default_sample_type)
			r->weight_at = i;
	r->count_at = r->weight_at ? r->weight_at - 1 : 0;
	if (!pprof_is_text(&pb->string_table[types[r->count_at]->unit], "count"))
		r->count_at = SIZE_MAX;
	return pprof_add_string(r, types[r->weight_at]->unit, &profile_about(r->profile)->unit);
}

static int read_all(struct pprof_reader *r)
{
	const pb_profile *pb = r->m->pb;
	int err;

	r->strings = malloc(pb->n_string_table * sizeof(*r->strings));
	if (!r->profile || !r->strings)
		return -ENOMEM;
	memset(r->strings, 0xff, pb->n_string_table * sizeof(*r->strings)); /* PROFILE_NONE */
	err = choose_types(r);
	if (!err)
		err = pprof_read_about(pb, r->profile);
	if (!err)
		err = pprof_add_locations(r);
	for (size_t i = 0; i < pb->n_sample && !err; i++)
		err = add_sample(r, pb->sample[i]);
	return err;
}

struct profile *import_pprof(const void *data, size_t len, int *err)
{
	OWNS(pprof_message) struct pprof_message *m = pprof_message_new(data, len, err);
	OWNS(pprof_reader) struct pprof_reader r = { .m = m, .count_at = SIZE_MAX };

	if (!m)
		return NULL;
	r.profile = profile_new();
	r.frames_left = m->len * FRAMES_PER_BYTE + FRAMES_ALWAYS;
	*err = read_all(&r);
	return *err ? NULL : TAKE(r.profile);
}
