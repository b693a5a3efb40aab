/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile_file.h"

#include "cli/fail.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

void profile_file_add_rates(struct buffer *out, const struct profile *p)
{
	const char *rates = profile_string(p, profile_about_get(p)->rates);

	if (!*rates)
		return;
	for (; *rates; rates++)
		buffer_add(out, *rates == ',' ? ", " : rates, *rates == ',' ? 2 : 1);
	buffer_add_text(out, " Hz");
}

static uint64_t samples_of(const struct profile *p)
{
	const struct profile_sample *rows;
	uint64_t samples = 0;
	uint32_t count;

	rows = profile_samples(p, &count);
	for (uint32_t i = 0; i < count; i++)
		samples += rows[i].count;
	return samples;
}

void profile_file_add_about(struct buffer *out, const struct profile *p)
{
	const struct profile_about *about = profile_about_get(p);
	uint64_t samples = samples_of(p);

	buffer_print(out, "%" PRIu64 " sample%s", samples, samples == 1 ? "" : "s");
	if (*profile_string(p, about->rates))
		buffer_add_text(out, " at ");
	profile_file_add_rates(out, p);
	buffer_print(out, ", %" PRIu64 " lost", about->lost);
	if (about->lost && about->taken)
		buffer_print(out, " (%.2g %%)", 100.0 * about->lost / about->taken);
	buffer_print(out, ", %.1f s", about->duration_ns / 1e9);
}

int profile_file_open(struct output_file *file, const struct cli_options *o)
{
	int err = output_file_open(file, o->output);

	if (!err)
		return 0;
	return fail(SPPROF_EXIT_FAILED, "cannot write to %s: %s; name another place with --output",
		    o->output ? o->output : "the current folder", strerror(-err));
}

/* Like "spprof-1234-20260131-235959.speedscope.json". */
static void own_name(const struct made_file *made, char *name, size_t room)
{
	char when[32];
	time_t now = time(NULL);
	struct tm local;

	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", localtime_r(&now, &local));
	snprintf(name, room, "spprof-%s-%s%s", made->target, when, made->ending);
}

int profile_file_place(const struct cli_options *o, struct output_file *file,
		       const struct made_file *made)
{
	OWNS(buffer) struct buffer line = { 0 };
	char name[96];
	const char *place = o->output ? o->output : name;
	int err;

	own_name(made, name, sizeof(name));
	err = output_file_commit(file, name, made->bytes);
	if (err)
		return fail(SPPROF_EXIT_FAILED, "cannot write to %s: %s", place, strerror(-err));
	if (!strcmp(place, "-"))
		return 0;
	buffer_print(&line, made->about->len ? "wrote %s (%s)\n" : "wrote %s\n", place,
		     made->about->data);
	if (!buffer_error(&line))
		fwrite(line.data, 1, line.len, stderr);
	return 0;
}

/* pprof is what came; every other format is made of it. */
static int convert(const struct cli_options *o, const struct profile *p, struct buffer *pprof,
		   struct buffer *out)
{
	int err;

	if (o->format != &export_pprof) {
		err = o->format->write(p, &o->shape, out);
		return err ? err : buffer_error(out);
	}
	*out = *pprof;
	*pprof = (struct buffer){ 0 };
	return 0;
}

int profile_file_write(const struct cli_options *o, const struct profile *p, struct buffer *pprof,
		       const char *target, struct output_file *file)
{
	OWNS(buffer) struct buffer out = { 0 }, about = { 0 };
	const struct made_file made = {
		.ending = o->format->ending,
		.target = target,
		.bytes = &out,
		.about = &about,
	};
	int err = convert(o, p, pprof, &out);

	if (err)
		return fail(SPPROF_EXIT_FAILED, "cannot make a %s profile: %s", o->format->name,
			    strerror(-err));
	profile_file_add_about(&about, p);
	return profile_file_place(o, file, &made);
}
