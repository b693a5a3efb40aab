/* SPDX-License-Identifier: Apache-2.0 */
/* The tracks of the page's data: what each thread weighs, and in which order it came. */
#include "export/html_runs.h"
#include "export/html_writer.h"
#include "export/title.h"

#include <errno.h>
#include <inttypes.h>

#define MOST_RUNS 100000

/* Adds up the samples of @track by box; @weights has a place for each and holds zeros. */
static void weigh_boxes(struct html_writer *w, const struct flame_track *track, int64_t *weights)
{
	uint32_t count;
	const struct profile_sample *samples = profile_samples(w->profile, &count);

	for (uint32_t i = track->first; i < track->last; i++) {
		const struct profile_sample *sample = &samples[w->tracks.samples[i]];

		weights[w->boxes.box_of[w->tree.node_of[sample->stack]]] += sample->weight;
	}
}

static int put_weights(struct html_writer *w, const struct flame_track *track)
{
	OWNS_MEM int64_t *weights = calloc(w->boxes.count, sizeof(*weights));
	uint32_t before = 0;

	if (!weights)
		return -ENOMEM;
	weigh_boxes(w, track, weights);
	html_put(w, ",\n\"box\":[");
	for (uint32_t i = 1; i < w->boxes.count; i++) {
		if (!weights[i])
			continue;
		html_put_next(w, before == 0, i - before);
		before = i;
	}
	html_put(w, "],\n\"self\":[");
	before = 0;
	for (uint32_t i = 1; i < w->boxes.count; i++) {
		if (!weights[i])
			continue;
		html_put_next(w, before == 0, weights[i]);
		before = i;
	}
	html_put(w, "]");
	return 0;
}

static int put_runs(struct html_writer *w, uint32_t track)
{
	OWNS(html_runs) struct html_runs runs = { 0 };
	uint32_t sample_count;
	int64_t least = 0, before = 0;
	int err;

	profile_samples(w->profile, &sample_count);
	if (sample_count > MOST_RUNS)
		least = w->tree.running[0] / MOST_RUNS + 1;
	err = html_runs_init(&runs, &w->tree, &w->boxes, &w->tracks, track, least);
	if (err)
		return err;
	w->joined += runs.joined;
	html_put(w, ",\n\"runs\":{\"box\":[");
	for (uint32_t i = 0; i < runs.count; before = runs.rows[i++].box)
		html_put_next(w, i == 0, (int64_t)runs.rows[i].box - before);
	html_put(w, "],\n\"weight\":[");
	for (uint32_t i = 0; i < runs.count; i++)
		html_put_next(w, i == 0, runs.rows[i].weight);
	html_put(w, "]}");
	return 0;
}

static void put_track_name(struct html_writer *w, const struct flame_track *track)
{
	uint32_t count;
	const struct profile_thread *thread = &profile_threads(w->profile, &count)[track->thread];
	struct buffer name OWNS(buffer) = { 0 };

	if (track->threads > 1)
		buffer_print(&name, "%" PRIu32 " other threads", track->threads);
	else
		title_add_thread(&name, w->profile, thread);
	html_put(w, "{\"name\":");
	html_put_buffer(w, &name);
	html_put(w, ",\"process\":");
	html_put_string(w, track->threads > 1 ? 0 : thread->process);
	buffer_print(w->out,
		     ",\"pid\":%" PRIu32 ",\"weight\":", track->threads > 1 ? 0 : thread->pid);
	html_put_number(w, track->weight);
}

int html_put_tracks(struct html_writer *w)
{
	bool keeps_order = profile_about_get(w->profile)->keeps_order;
	int err = 0;

	html_put(w, "\"tracks\":[");
	for (uint32_t i = 0; i < w->tracks.count && !err; i++) {
		html_put(w, i ? ",\n" : "");
		put_track_name(w, &w->tracks.rows[i]);
		if (w->tracks.count > 1)
			err = put_weights(w, &w->tracks.rows[i]);
		if (keeps_order && !err)
			err = put_runs(w, i);
		html_put(w, "}");
	}
	buffer_print(w->out, "],\n\"ordered\":%s,\"joined\":%" PRIu32 "}",
		     keeps_order ? "true" : "false", w->joined);
	return err;
}
