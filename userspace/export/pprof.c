/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pprof: gzip-compressed protobuf, the one format between daemon, client and history.
 *
 * A location is a frame (function and line), so ids are the model's plus 1, and the
 * model's strings come first in string_table, under their own ids. What else a profile
 * carries goes into labels and comments: profile/pprof_names.h says how.
 * Source: github.com/google/pprof/proto/profile.proto
 */
#include "export/exporter.h"
#include "export/pprof_writer.h"
#include "export/stack_path.h"
#include "profile/pprof_names.h"

#include <errno.h>
#include <string.h>

static const char *const kind_files[] = {
	[PROFILE_PYTHON] = PPROF_MAPPING_PYTHON,
	[PROFILE_NATIVE] = PPROF_MAPPING_NATIVE,
	[PROFILE_KERNEL] = PPROF_MAPPING_KERNEL,
	[PROFILE_UNKNOWN] = PPROF_MAPPING_UNKNOWN,
};

#define KINDS (sizeof(kind_files) / sizeof(*kind_files))

/* Native code has the file that it is in, unless that reads like a kind. */
static bool has_own_file(const struct profile *p, const struct profile_function *f)
{
	if (f->kind != PROFILE_NATIVE || !f->file)
		return false;
	for (size_t i = 0; i < KINDS; i++)
		if (strcmp(profile_string(p, f->file), kind_files[i]) == 0)
			return false;
	return true;
}

static uint64_t mapping_of(const struct profile *p, const struct profile_function *f)
{
	return has_own_file(p, f) ? KINDS + 1ull + f->file : f->kind + 1ull;
}

static void put_mapping(struct pprof_writer *w, uint64_t id, int64_t file)
{
	pb_mapping mapping = PERFTOOLS__PROFILES__MAPPING__INIT;
	pb_mapping *mappings[] = { &mapping };
	pb_profile part = PB_PROFILE_INIT;

	mapping.id = id;
	mapping.filename = file;
	mapping.has_functions = true; /* or tools look for symbols themselves */
	mapping.has_filenames = true;
	mapping.has_line_numbers = true;
	part.n_mapping = 1;
	part.mapping = mappings;
	pprof_put(w, &part);
}

/* Tools take the first mapping for the program, so Python's comes first. */
static int put_mappings(struct pprof_writer *w)
{
	bool has_kind[KINDS] = { false };
	uint32_t count;
	const struct profile_function *functions = profile_functions(w->profile, &count);
	OWNS_MEM bool *has_file = calloc(profile_string_count(w->profile) + 1ul, sizeof(bool));

	if (!has_file)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		if (has_own_file(w->profile, &functions[i]))
			has_file[functions[i].file] = true;
		else
			has_kind[functions[i].kind] = true;
	}
	for (size_t kind = 0; kind < KINDS; kind++)
		if (has_kind[kind])
			put_mapping(w, kind + 1, pprof_put_text(w, kind_files[kind]));
	for (profile_id file = 0; file < profile_string_count(w->profile); file++)
		if (has_file[file])
			put_mapping(w, KINDS + 1ull + file, file);
	return 0;
}

/*
 * system_name stays empty: where it equals the name, Go's pprof takes the name for C++
 * that somebody must still shorten, and makes nothing of `<module>` and `<lambda>`.
 */
static void put_functions(struct pprof_writer *w)
{
	uint32_t count;
	const struct profile_function *functions = profile_functions(w->profile, &count);

	for (uint32_t i = 0; i < count; i++) {
		pb_function function = PERFTOOLS__PROFILES__FUNCTION__INIT;
		pb_function *one[] = { &function };
		pb_profile part = PB_PROFILE_INIT;

		function.id = i + 1ull;
		function.name = functions[i].name;
		function.filename = functions[i].file;
		function.start_line = functions[i].first_line;
		part.n_function = 1;
		part.function = one;
		pprof_put(w, &part);
	}
}

static void put_locations(struct pprof_writer *w)
{
	uint32_t count, function_count;
	const struct profile_frame *frames = profile_frames(w->profile, &count);
	const struct profile_function *functions = profile_functions(w->profile, &function_count);

	for (uint32_t i = 0; i < count; i++) {
		pb_line line = PERFTOOLS__PROFILES__LINE__INIT;
		pb_line *lines[] = { &line };
		pb_location location = PERFTOOLS__PROFILES__LOCATION__INIT;
		pb_location *one[] = { &location };
		pb_profile part = PB_PROFILE_INIT;

		line.function_id = frames[i].function + 1ull;
		line.line = frames[i].line;
		location.id = i + 1ull;
		location.mapping_id = mapping_of(w->profile, &functions[frames[i].function]);
		location.n_line = 1;
		location.line = lines;
		part.n_location = 1;
		part.location = one;
		pprof_put(w, &part);
	}
}

/* Indexes of the labels' keys in string_table. */
struct label_keys {
	int64_t pid, tid, thread, process, ident, time;
};

static struct label_keys put_label_keys(struct pprof_writer *w)
{
	return (struct label_keys){
		.pid = pprof_put_text(w, PPROF_LABEL_PID),
		.tid = pprof_put_text(w, PPROF_LABEL_TID),
		.thread = pprof_put_text(w, PPROF_LABEL_THREAD),
		.process = pprof_put_text(w, PPROF_LABEL_PROCESS),
		.ident = pprof_put_text(w, PPROF_LABEL_IDENT),
		.time = pprof_put_text(w, PPROF_LABEL_TIME),
	};
}

/* A sample's labels; the format has none that are 0 or empty. */
struct labels {
	size_t count;
	pb_label rows[6];
	pb_label *at[6];
};

static void label(struct labels *l, int64_t key, int64_t string, uint64_t number)
{
	pb_label *row = &l->rows[l->count];

	if (!string && !number)
		return;
	perftools__profiles__label__init(row);
	row->key = key;
	row->str = string;
	row->num = (int64_t)number;
	l->at[l->count++] = row;
}

static void label_sample(const struct profile *p, const struct label_keys *keys,
			 const struct profile_sample *s, struct labels *l)
{
	uint32_t count;
	const struct profile_thread *thread = &profile_threads(p, &count)[s->thread];

	l->count = 0;
	label(l, keys->pid, 0, thread->pid);
	label(l, keys->tid, 0, thread->tid);
	label(l, keys->thread, thread->name, 0);
	label(l, keys->process, thread->process, 0);
	label(l, keys->ident, 0, thread->ident);
	if (profile_about_get(p)->keeps_order)
		label(l, keys->time, 0, s->timestamp_ns);
}

/* Location ids of a stack, leaf first. */
struct locations {
	struct stack_path path;
	uint64_t *ids;
	size_t room;
};

static void locations_cleanup(struct locations *l)
{
	stack_path_fini(&l->path);
	free(l->ids);
}

static int locations_set(struct locations *l, const struct profile *p, profile_id stack)
{
	int err = stack_path_set(&l->path, p, stack);

	if (err)
		return err;
	if (l->room < l->path.room) {
		uint64_t *grown = reallocarray(l->ids, l->path.room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		l->ids = grown;
		l->room = l->path.room;
	}
	for (size_t i = 0; i < l->path.count; i++)
		l->ids[i] = l->path.frames[i] + 1ull;
	return 0;
}

static void put_sample(struct pprof_writer *w, const struct profile_sample *s,
		       const struct locations *stack, struct labels *labels)
{
	int64_t values[] = { (int64_t)s->count, s->weight };
	pb_sample sample = PERFTOOLS__PROFILES__SAMPLE__INIT;
	pb_sample *one[] = { &sample };
	pb_profile part = PB_PROFILE_INIT;

	sample.n_location_id = stack->path.count;
	sample.location_id = stack->ids;
	sample.n_value = 2;
	sample.value = values;
	sample.n_label = labels->count;
	sample.label = labels->at;
	part.n_sample = 1;
	part.sample = one;
	pprof_put(w, &part);
}

static int put_samples(struct pprof_writer *w)
{
	OWNS(locations) struct locations stack = { 0 };
	struct label_keys keys = put_label_keys(w);
	uint32_t count;
	const struct profile_sample *samples = profile_samples(w->profile, &count);

	for (uint32_t i = 0; i < count; i++) {
		struct labels labels;
		int err = locations_set(&stack, w->profile, samples[i].stack);

		if (err)
			return err;
		label_sample(w->profile, &keys, &samples[i], &labels);
		put_sample(w, &samples[i], &stack, &labels);
	}
	return 0;
}

static int write_pprof(const struct profile *p, const struct export_options *o, struct buffer *out)
{
	OWNS(pprof_writer) struct pprof_writer w = { 0 };
	int err = pprof_writer_init(&w, p, out);

	(void)o; /* nothing to choose here */
	if (err)
		return err;
	pprof_put_about(&w);
	err = put_mappings(&w);
	put_functions(&w);
	put_locations(&w);
	if (!err)
		err = put_samples(&w);
	return err ? err : pprof_writer_finish(&w);
}

const struct exporter export_pprof = {
	.name = "pprof",
	.ending = ".pb.gz",
	.write = write_pprof,
};
