/* SPDX-License-Identifier: Apache-2.0 */
#include "import/pprof_message.h"
#include "import/gunzip.h"
#include "import/pprof_wire.h"
#include "import/reason.h"

#include <errno.h>
#include <stdbool.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* An empty message takes 2 bytes in the file and a hundred in memory. */
#define MAX_UNPACKED_BYTES (4 * PPROF_MAX_BYTES)

struct budget {
	ProtobufCAllocator base;
	size_t left;
	int err; /* why an allocation was refused */
};

static void *budget_alloc(void *data, size_t size)
{
	struct budget *budget = data;
	void *p = NULL;

	budget->err = -E2BIG;
	if (size > budget->left)
		return NULL;
	budget->err = -ENOMEM;
	p = malloc(size);
	if (!p)
		return NULL;
	budget->err = 0;
	budget->left -= size;
	return p;
}

/* Only while it unpacks, of little: what is freed is not given back. */
static void budget_free(void *data, void *p)
{
	(void)data;
	free(p);
}

static pb_profile *unpack(const void *data, size_t len, int *err)
{
	struct budget budget = {
		.base = { .alloc = budget_alloc, .free = budget_free, .allocator_data = &budget },
		.left = MAX_UNPACKED_BYTES,
	};
	/* An empty buffer has no memory. */
	pb_profile *pb = perftools__profiles__profile__unpack(&budget.base, len,
							      data ? data : (const void *)"");

	if (!pb)
		*err = budget.err ? budget.err : -EBADMSG;
	return pb;
}

void pprof_message_free(struct pprof_message *m)
{
	if (!m)
		return;
	if (m->pb)
		perftools__profiles__profile__free_unpacked(m->pb, NULL);
	buffer_fini(&m->raw);
	hash_index_fini(&m->mappings);
	hash_index_fini(&m->locations);
	hash_index_fini(&m->functions);
	free(m);
}

static uint64_t hash_of(const struct pprof_message *m, uint64_t id)
{
	/* An address as the seed: ids are chosen by whoever made the file. */
	return XXH3_64bits_withSeed(&id, sizeof(id), (uintptr_t)m);
}

/*
 * The three finders differ in the row's type only. Most files number their rows from 1,
 * in order: then the id says where to look.
 */
#define DEFINE_FIND(what)                                                               \
	static uint32_t find_indexed_##what(const struct pprof_message *m, uint64_t id) \
	{                                                                               \
		struct hash_probe probe = hash_index_find(&m->what##s, hash_of(m, id)); \
		uint32_t i;                                                             \
                                                                                        \
		while (hash_probe_next(&probe, &i))                                     \
			if (m->pb->what[i]->id == id)                                   \
				return i;                                               \
		return UINT32_MAX;                                                      \
	}                                                                               \
	uint32_t pprof_find_##what(const struct pprof_message *m, uint64_t id)          \
	{                                                                               \
		if (id && id <= m->pb->n_##what && m->pb->what[id - 1]->id == id)       \
			return id - 1;                                                  \
		return find_indexed_##what(m, id);                                      \
	}
DEFINE_FIND(mapping)
DEFINE_FIND(location)
DEFINE_FIND(function)

static int index_row(const struct pprof_message *m, struct hash_index *ix, uint64_t id,
		     uint32_t found, size_t i)
{
	if (!id || found != UINT32_MAX)
		return -EBADMSG;
	return hash_index_add(ix, hash_of(m, id), i);
}

static int index_rows(struct pprof_message *m)
{
	const pb_profile *pb = m->pb;
	int err = 0;

	for (size_t i = 0; i < pb->n_mapping && !err; i++) {
		uint64_t id = pb->mapping[i]->id;

		err = index_row(m, &m->mappings, id, find_indexed_mapping(m, id), i);
	}
	for (size_t i = 0; i < pb->n_location && !err; i++) {
		uint64_t id = pb->location[i]->id;

		err = index_row(m, &m->locations, id, find_indexed_location(m, id), i);
	}
	for (size_t i = 0; i < pb->n_function && !err; i++) {
		uint64_t id = pb->function[i]->id;

		err = index_row(m, &m->functions, id, find_indexed_function(m, id), i);
	}
	return err;
}

static bool is_string(const pb_profile *pb, int64_t index)
{
	return (uint64_t)index < pb->n_string_table; /* one below 0 is huge */
}

static bool are_types_right(const pb_profile *pb)
{
	if (!pb->n_string_table || pb->string_table[0].len)
		return false;
	for (size_t i = 0; i < pb->n_sample_type; i++)
		if (!is_string(pb, pb->sample_type[i]->type) ||
		    !is_string(pb, pb->sample_type[i]->unit))
			return false;
	for (size_t i = 0; i < pb->n_comment; i++)
		if (!is_string(pb, pb->comment[i]))
			return false;
	return is_string(pb, pb->default_sample_type);
}

static bool are_functions_right(const pb_profile *pb)
{
	for (size_t i = 0; i < pb->n_mapping; i++)
		if (!is_string(pb, pb->mapping[i]->filename))
			return false;
	for (size_t i = 0; i < pb->n_function; i++)
		if (!is_string(pb, pb->function[i]->name) ||
		    !is_string(pb, pb->function[i]->filename))
			return false;
	return true;
}

static bool are_locations_right(const struct pprof_message *m)
{
	for (size_t i = 0; i < m->pb->n_location; i++) {
		const pb_location *location = m->pb->location[i];

		if (location->mapping_id &&
		    pprof_find_mapping(m, location->mapping_id) == UINT32_MAX)
			return false;
		for (size_t l = 0; l < location->n_line; l++)
			if (pprof_find_function(m, location->line[l]->function_id) == UINT32_MAX)
				return false;
	}
	return true;
}

static bool is_numbered(const pb_profile *pb)
{
	for (size_t i = 0; i < pb->n_location; i++)
		if (pb->location[i]->id != i + 1)
			return false;
	return true;
}

/* What pprof's own CheckValid() demands, and that strings are there. 0 or an error. */
static int check(struct pprof_message *m, struct buffer *why)
{
	int err;

	if (!are_types_right(m->pb))
		return import_refuse(why, -EBADMSG, "pprof: a type or comment of no string");
	if (!are_functions_right(m->pb))
		return import_refuse(why, -EBADMSG, "pprof: a function or mapping of no string");
	err = index_rows(m);
	if (err == -EBADMSG)
		return import_refuse(why, err, "pprof: an id that is 0 or comes twice");
	if (!err && !are_locations_right(m))
		return import_refuse(why, -EBADMSG,
				     "pprof: a location of no mapping or no function");
	m->is_numbered = is_numbered(m->pb);
	return err;
}

/* All fields but the samples, as a message of its own. 0 or an error. */
static int gather(const struct pprof_message *m, struct buffer *rest, struct buffer *why)
{
	struct cursor c = m->bytes;

	while (cursor_left(&c)) {
		const uint8_t *start = c.at;
		struct pprof_field field;

		if (!pprof_take_field(&c, &field))
			return import_refuse(why, -EBADMSG, "pprof: cut or damaged at byte %td",
					     start - m->bytes.at);
		if (field.number != PPROF_FIELD_SAMPLE || !field.is_bytes)
			buffer_add(rest, start, c.at - start);
	}
	return buffer_error(rest);
}

static int read_message(struct pprof_message *m, const void *data, size_t len, struct buffer *why)
{
	struct buffer rest OWNS(buffer) = { 0 };
	int err = 0;

	if (gunzip_is_gzip(data, len)) {
		err = gunzip(data, len, PPROF_MAX_BYTES, &m->raw);
		data = m->raw.data;
		len = m->raw.len;
	} else if (len > PPROF_MAX_BYTES) {
		err = -E2BIG;
	}
	if (err)
		return import_refuse(why, err, "pprof: not whole, or more than 1 GiB");
	m->bytes = cursor_of(data, len);
	err = gather(m, &rest, why);
	if (err)
		return err;
	m->pb = unpack(rest.data, rest.len, &err);
	return m->pb ? check(m, why) : import_refuse(why, err, "pprof: damaged tables");
}

struct pprof_message *pprof_message_new(const void *data, size_t len, int *err, struct buffer *why)
{
	OWNS(pprof_message) struct pprof_message *m = calloc(1, sizeof(*m));

	*err = m ? read_message(m, data, len, why) : -ENOMEM;
	return *err ? NULL : TAKE(m);
}
