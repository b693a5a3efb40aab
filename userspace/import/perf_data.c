/* SPDX-License-Identifier: Apache-2.0 */
#include "import/perf_data.h"
#include "import/names.h"
#include "import/perf_data_reader.h"

#include <inttypes.h>
#include <sys/random.h>

static void perf_data_init(struct perf_data *d)
{
	uint64_t seed;

	/* Before the kernel has any entropy, an address has to do. */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = (uintptr_t)d;
	strings_init(&d->strings, seed);
	table_init(&d->counters, sizeof(struct perf_counter), sizeof(uint64_t), seed);
	perf_tasks_init(&d->tasks, seed);
}

static void perf_data_cleanup(struct perf_data *d)
{
	strings_fini(&d->strings);
	table_fini(&d->counters);
	perf_tasks_fini(&d->tasks);
	stack_builder_cleanup(&d->builder);
	objects_free(d->objects);
	free(d->attrs);
	free(d->addresses);
	free(d->frames);
}

static int read_events_and_tasks(struct perf_data *d)
{
	uint32_t nothing;
	int err = strings_add(&d->strings, "", 0, &nothing);

	if (!err)
		err = perf_data_read_header(d);
	if (!err)
		err = perf_data_read_features(d);
	if (!err)
		err = perf_data_walk(d, perf_data_note);
	if (!err)
		err = perf_data_name_events(d);
	if (!err)
		err = import_choose_event(d->file, d->facts, d->why);
	return err ? err : perf_tasks_order(&d->tasks);
}

static int read_samples(struct perf_data *d)
{
	int err = perf_data_prepare_frames(d);

	if (!err)
		err = perf_data_walk(d, perf_data_add_sample);
	if (!err && !d->samples)
		return import_refuse(d->why, -EBADMSG, "perf.data: there is no sample in it%s",
				     d->is_cut ? ": it is cut" : "");
	return err;
}

static void warn_objects(struct perf_data *d)
{
	struct buffer lines OWNS(buffer) = { 0 };

	objects_warn(d->objects, &lines);
	while (lines.len && lines.data[lines.len - 1] == '\n')
		lines.data[--lines.len] = '\0';
	if (lines.len)
		perf_data_warn(d, "%s", lines.data);
}

static void warn(struct perf_data *d)
{
	if (d->is_cut)
		perf_data_warn(d, "the file is cut, or was not finished: what is whole is read");
	if (d->lost)
		perf_data_warn(d, "perf lost %" PRIu64 " records while it recorded", d->lost);
	if (d->foreign)
		perf_data_warn(d, "%" PRIu64 " samples of unknown events are left out", d->foreign);
	if (d->is_mixed)
		perf_data_warn(d, "periods of events that count different things are added up");
	if (d->has_stacks)
		perf_data_warn(d, "call chains of user code are in it as raw stacks, which are not "
				  "unwound: read the output of `perf script` for all of them");
	import_warn_events(d->file, d->facts, d->why);
	warn_objects(d);
}

static int set_unit(struct perf_data *d)
{
	const char *unit = "samples";

	if (d->is_mixed)
		unit = "periods";
	else if (d->unit)
		unit = strings_text(&d->strings, d->unit);
	return names_add(d->profile, unit, strlen(unit), &profile_about(d->profile)->unit);
}

int import_perf_data(const struct import_file *file, struct profile *out,
		     struct import_facts *facts, struct buffer *why)
{
	OWNS(perf_data)
	struct perf_data d = {
		.file = file,
		.profile = out,
		.facts = facts,
		.why = why,
		.builder.profile = out,
	};
	int err;

	perf_data_init(&d);
	err = read_events_and_tasks(&d);
	if (!err)
		err = read_samples(&d);
	if (err == -E2BIG && !why->len)
		return import_refuse(why, err, "perf.data: more than can be held");
	if (err)
		return err;
	warn(&d);
	err = set_unit(&d);
	return err ? err : buffer_error(why);
}
