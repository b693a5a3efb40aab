/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pprof_message.c makes sure that the tables are right, pprof_samples.c reads what is
 * sampled; here is what they are in one file for. Those of other programs are welcome: the weight is the type that the file shows by default.
 */
#include "import/pprof.h"
#include "import/pprof_about.h"
#include "import/pprof_reader.h"
#include "import/reason.h"
#include "profile/pprof_names.h"

#include <errno.h>
#include <string.h>

/*
 * A location of many inlined lines, named by many samples, would cost far more memory
 * and time than the file has bytes. Real files have a few lines a location.
 */
#define FRAMES_PER_BYTE 16
#define FRAMES_ALWAYS (1u << 20)

static void pprof_reader_cleanup(struct pprof_reader *r)
{
	free(r->strings);
	free(r->frames);
	free(r->first);
	free(r->sample.locations);
	free(r->sample.values);
	stack_builder_cleanup(&r->builder);
}

static bool is_memory(const struct pprof_reader *r, int64_t type)
{
	const ProtobufCBinaryData *name = &r->m->pb->string_table[type];
	size_t len = strlen(PPROF_SPACE);

	return name->len > len && !memcmp(name->data + name->len - len, PPROF_SPACE, len);
}

/* The weight is what the file shows by default, the count the column of counts before it. */
static int choose_types(struct pprof_reader *r)
{
	const pb_profile *pb = r->m->pb;
	pb_value_type **types = pb->sample_type;
	int err = 0;

	if (!pb->n_sample_type)
		return 0;
	r->weight_at = pb->n_sample_type - 1;
	for (size_t i = 0; i < pb->n_sample_type && pb->default_sample_type; i++)
		if (types[i]->type == pb->default_sample_type)
			r->weight_at = i;
	r->count_at = r->weight_at ? r->weight_at - 1 : 0;
	if (!pprof_is_text(&pb->string_table[types[r->count_at]->unit], "count"))
		r->count_at = SIZE_MAX;
	if (is_memory(r, types[r->weight_at]->type))
		err = pprof_add_string(r, types[r->weight_at]->type,
				       &profile_about(r->profile)->weighed);
	return err ? err
		   : pprof_add_string(r, types[r->weight_at]->unit,
				      &profile_about(r->profile)->unit);
}

static int read_all(struct pprof_reader *r, struct buffer *why)
{
	const pb_profile *pb = r->m->pb;
	int err;

	r->strings = malloc(pb->n_string_table * sizeof(*r->strings));
	if (!r->strings)
		return -ENOMEM;
	memset(r->strings, 0xff, pb->n_string_table * sizeof(*r->strings)); /* PROFILE_NONE */
	err = choose_types(r);
	if (!err)
		err = pprof_read_about(pb, r->profile, &r->is_ours);
	if (!err)
		err = pprof_add_locations(r);
	return err ? err : pprof_add_samples(r, why);
}

int import_pprof_into(const void *data, size_t len, struct profile *out, struct buffer *why)
{
	int err = 0;
	OWNS(pprof_message) struct pprof_message *m = pprof_message_new(data, len, &err, why);
	OWNS(pprof_reader) struct pprof_reader r = { .m = m, .count_at = SIZE_MAX, .profile = out };

	if (!m)
		return err;
	r.builder.profile = out;
	r.frames_left = cursor_left(&m->bytes) * FRAMES_PER_BYTE + FRAMES_ALWAYS;
	err = read_all(&r, why);
	return err == -E2BIG ? import_refuse(why, err, "pprof: more stacks than can be held") : err;
}

struct profile *import_pprof(const void *data, size_t len, int *err)
{
	OWNS(profile) struct profile *p = profile_new();
	struct buffer why OWNS(buffer) = { 0 };

	*err = p ? import_pprof_into(data, len, p, &why) : -ENOMEM;
	return *err ? NULL : TAKE(p);
}
