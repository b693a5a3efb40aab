/* SPDX-License-Identifier: Apache-2.0 */
/*
 * speedscope's own JSON: a "sampled" profile for each thread, stacks root first.
 *
 * A frame is a function, not a line of one: readers know frames by their index alone,
 * so the line in the key would split a function into many rows.
 * Source: www.speedscope.app/file-format-schema.json; their importer takes endValue -
 * startValue for the total when it is larger than the sum of weights, and refuses a
 * weight below 0 and a file without profiles.
 */
#include "export/exporter.h"
#include "export/json_text.h"
#include "export/stack_path.h"
#include "export/title.h"
#include "profile/weight.h"
#include "spprof_api.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

struct writer {
	const struct profile *profile;
	struct buffer *out;
	const struct profile_sample *samples;
	uint32_t *order; /* indexes of samples, one thread after the other, stable */
	uint32_t *first; /* of each thread in @order; one more for the end */
	struct stack_path path;
};

static void writer_cleanup(struct writer *w)
{
	free(w->order);
	free(w->first);
	stack_path_fini(&w->path);
}

/* Counting sort of the samples by thread. 0, -ENOMEM, -ERANGE for a weight below 0. */
static int sort_by_thread(struct writer *w)
{
	uint32_t sample_count, thread_count;

	w->samples = profile_samples(w->profile, &sample_count);
	profile_threads(w->profile, &thread_count);
	w->order = calloc(sample_count + 1ul, sizeof(*w->order));
	w->first = calloc(thread_count + 2ul, sizeof(*w->first));
	if (!w->order || !w->first)
		return -ENOMEM;
	for (uint32_t i = 0; i < sample_count; i++) {
		if (w->samples[i].weight < 0)
			return -ERANGE;
		w->first[w->samples[i].thread + 2]++;
	}
	for (uint32_t t = 2; t < thread_count + 2; t++)
		w->first[t] += w->first[t - 1];
	for (uint32_t i = 0; i < sample_count; i++)
		w->order[w->first[w->samples[i].thread + 1]++] = i;
	return 0;
}

static void put_text(const struct writer *w, profile_id string)
{
	json_add_text(w->out, profile_string(w->profile, string),
		      profile_string_len(w->profile, string));
}

static void put_frames(struct writer *w)
{
	uint32_t count;
	const struct profile_function *functions = profile_functions(w->profile, &count);

	for (uint32_t i = 0; i < count; i++) {
		buffer_add_text(w->out, i ? ",\n{\"name\":\"" : "\n{\"name\":\"");
		put_text(w, functions[i].name);
		buffer_add_text(w->out, "\"");
		if (functions[i].file) {
			buffer_add_text(w->out, ",\"file\":\"");
			put_text(w, functions[i].file);
			buffer_add_text(w->out, "\"");
		}
		if (functions[i].first_line)
			buffer_print(w->out, ",\"line\":%" PRIu32, functions[i].first_line);
		buffer_add_text(w->out, "}");
	}
}

static int put_stack(struct writer *w, profile_id stack)
{
	uint32_t count;
	const struct profile_frame *frames = profile_frames(w->profile, &count);
	int err = stack_path_set(&w->path, w->profile, stack);

	if (err)
		return err;
	buffer_add_text(w->out, "[");
	for (size_t i = w->path.count; i-- > 0;) {
		weight_print(w->out, frames[w->path.frames[i]].function, 0);
		if (i)
			buffer_add_text(w->out, ",");
	}
	buffer_add_text(w->out, "]");
	return 0;
}

/* The rest of a profile, after its name: @order[@from] to before @order[@to]. */
static int put_samples(struct writer *w, uint32_t from, uint32_t to)
{
	uint32_t decimals = profile_about_get(w->profile)->decimals;
	int64_t end = 0;
	int err = 0;

	for (uint32_t i = from; i < to; i++)
		if (__builtin_add_overflow(end, w->samples[w->order[i]].weight, &end))
			end = INT64_MAX;
	buffer_add_text(w->out, "\"startValue\":0,\"endValue\":");
	weight_print(w->out, end, decimals);
	buffer_add_text(w->out, ",\n\"samples\":[");
	for (uint32_t i = from; i < to && !err; i++) {
		if (i > from)
			buffer_add_text(w->out, ",");
		err = put_stack(w, w->samples[w->order[i]].stack);
	}
	buffer_add_text(w->out, "],\n\"weights\":[");
	for (uint32_t i = from; i < to; i++) {
		if (i > from)
			buffer_add_text(w->out, ",");
		weight_print(w->out, w->samples[w->order[i]].weight, decimals);
	}
	buffer_add_text(w->out, "]}");
	return err;
}

/* The importer shows any other unit as none. */
static const char *unit_of(const struct profile *p)
{
	static const char *const units[] = { "nanoseconds", "microseconds", "milliseconds",
					     "seconds", "bytes" };
	const char *unit = profile_string(p, profile_about_get(p)->unit);

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(units[i], unit) == 0)
			return units[i];
	return "none";
}

static int put_thread_name(struct writer *w, const struct profile_thread *t)
{
	struct buffer name OWNS(buffer) = { 0 };

	title_add_thread(&name, w->profile, t);
	json_add_text(w->out, name.data, name.len);
	return buffer_error(&name);
}

static int put_profile(struct writer *w, const struct profile_thread *t, uint32_t from, uint32_t to)
{
	int err = 0;

	buffer_add_text(w->out, "\n{\"type\":\"sampled\",\"name\":\"");
	if (t)
		err = put_thread_name(w, t);
	else
		buffer_add_text(w->out, "no samples");
	if (err)
		return err;
	buffer_print(w->out, "\",\"unit\":\"%s\",", unit_of(w->profile));
	return put_samples(w, from, to);
}

static int put_profiles(struct writer *w)
{
	uint32_t count;
	const struct profile_thread *threads = profile_threads(w->profile, &count);
	bool is_first = true;
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++) {
		if (w->first[i] == w->first[i + 1])
			continue;
		if (!is_first)
			buffer_add_text(w->out, ",");
		is_first = false;
		err = put_profile(w, &threads[i], w->first[i], w->first[i + 1]);
	}
	return is_first ? put_profile(w, NULL, 0, 0) : err;
}

static int put_title(struct writer *w)
{
	struct buffer title OWNS(buffer) = { 0 };

	title_add(&title, w->profile);
	json_add_text(w->out, title.data, title.len);
	return buffer_error(&title);
}

static int write_speedscope(const struct profile *p, const struct export_options *o,
			    struct buffer *out)
{
	OWNS(writer) struct writer w = { .profile = p, .out = out };
	int err = sort_by_thread(&w);

	(void)o; /* nothing to choose here */
	if (err)
		return err;
	buffer_add_text(out,
			"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
			"\"exporter\":\"spprof@" SPPROF_VERSION "\",\n\"name\":\"");
	err = put_title(&w);
	if (err)
		return err;
	buffer_add_text(out, "\",\n\"shared\":{\"frames\":[");
	put_frames(&w);
	buffer_add_text(out, "]},\n\"profiles\":[");
	err = put_profiles(&w);
	buffer_add_text(out, "]}\n");
	return err ? err : buffer_error(out);
}

const struct exporter export_speedscope = {
	.name = "speedscope",
	.ending = ".speedscope.json",
	.shows_order = true,
	.write = write_speedscope,
};
