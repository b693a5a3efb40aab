/* SPDX-License-Identifier: Apache-2.0 */
/* The frames of each location. A function's kind follows from its mapping. */
#include "import/pprof_reader.h"
#include "base/utf8.h"
#include "profile/pprof_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool pprof_is_text(const ProtobufCBinaryData *string, const char *text)
{
	return string->len == strlen(text) && memcmp(string->data, text, string->len) == 0;
}

int pprof_add_string(struct pprof_reader *r, int64_t index, profile_id *id)
{
	const ProtobufCBinaryData *text = &r->m->pb->string_table[index];
	struct buffer valid OWNS(buffer) = { 0 };
	int err;

	*id = index ? r->strings[index] : 0;
	if (*id != PROFILE_NONE)
		return 0;
	utf8_repair(&valid, (const char *)text->data, text->len);
	err = buffer_error(&valid);
	if (!err)
		err = profile_add_string(r->profile, valid.len ? valid.data : "", valid.len, id);
	r->strings[index] = *id;
	return err;
}

/*
 * In our own files a mapping that has no name of ours is the ELF file of native code. What
 * another program maps may be anything.
 */
static enum profile_kind kind_of(const struct pprof_reader *r, const pb_mapping *mapping)
{
	static const struct {
		const char *file;
		enum profile_kind kind;
	} rows[] = {
		{ PPROF_MAPPING_PYTHON, PROFILE_PYTHON },
		{ PPROF_MAPPING_NATIVE, PROFILE_NATIVE },
		{ PPROF_MAPPING_KERNEL, PROFILE_KERNEL },
		{ PPROF_MAPPING_UNKNOWN, PROFILE_UNKNOWN },
	};

	for (size_t i = 0; mapping && i < sizeof(rows) / sizeof(*rows); i++)
		if (pprof_is_text(&r->m->pb->string_table[mapping->filename], rows[i].file))
			return rows[i].kind;
	return r->is_ours && mapping ? PROFILE_NATIVE : PROFILE_UNKNOWN;
}

static uint32_t line_of(int64_t line)
{
	return line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0;
}

static int add_line(struct pprof_reader *r, const pb_mapping *mapping, const pb_line *line,
		    profile_id *id)
{
	const pb_profile *pb = r->m->pb;
	const pb_function *from = pb->function[pprof_find_function(r->m, line->function_id)];
	struct profile_function function = {
		.first_line = line_of(from->start_line),
		.kind = kind_of(r, mapping),
	};
	struct profile_frame frame = { .line = line_of(line->line) };
	int err = pprof_add_string(r, from->name, &function.name);

	if (!err)
		err = pprof_add_string(r, from->filename, &function.file);
	if (!err)
		err = profile_add_function(r->profile, &function, &frame.function);
	return err ? err : profile_add_frame(r->profile, &frame, id);
}

/* A location that nobody has named: its address, in the file that was mapped there. */
static int add_address(struct pprof_reader *r, const pb_mapping *mapping, uint64_t address,
		       profile_id *id)
{
	struct profile_function function = { .kind = kind_of(r, mapping) };
	struct profile_frame frame = { 0 };
	char name[24] = "[unknown]";
	int err;

	if (address)
		snprintf(name, sizeof(name), "0x%" PRIx64, address);
	err = profile_add_string(r->profile, name, strlen(name), &function.name);
	if (!err && mapping)
		err = pprof_add_string(r, mapping->filename, &function.file);
	if (!err)
		err = profile_add_function(r->profile, &function, &frame.function);
	return err ? err : profile_add_frame(r->profile, &frame, id);
}

/* Frames of @location to @out, root first: one for each line, or one for none. */
static int add_location(struct pprof_reader *r, const pb_location *location, profile_id *out)
{
	const pb_mapping *mapping = NULL;
	int err = 0;

	if (location->mapping_id)
		mapping = r->m->pb->mapping[pprof_find_mapping(r->m, location->mapping_id)];
	if (!location->n_line)
		return add_address(r, mapping, location->address, out);
	for (size_t i = location->n_line; i-- > 0 && !err;)
		err = add_line(r, mapping, location->line[i], out++);
	return err;
}

int pprof_add_locations(struct pprof_reader *r)
{
	const pb_profile *pb = r->m->pb;
	size_t count = 0;
	int err = 0;

	r->first = calloc(pb->n_location + 1, sizeof(*r->first));
	if (!r->first)
		return -ENOMEM;
	for (size_t i = 0; i < pb->n_location; i++) {
		r->first[i] = count;
		count += pb->location[i]->n_line ? pb->location[i]->n_line : 1;
	}
	r->first[pb->n_location] = count;
	r->frames = calloc(count + 1, sizeof(*r->frames));
	if (!r->frames)
		return -ENOMEM;
	for (size_t i = 0; i < pb->n_location && !err; i++)
		err = add_location(r, pb->location[i], r->frames + r->first[i]);
	return err;
}
