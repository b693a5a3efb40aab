/* SPDX-License-Identifier: Apache-2.0 */
#include "export/flame_tracks.h"

#include <errno.h>

/* A sample while they are sorted: by track, by time, as they came. */
struct place {
	uint32_t track, sample;
	uint64_t timestamp_ns;
};

void flame_tracks_fini(struct flame_tracks *t)
{
	free(t->rows);
	free(t->samples);
	*t = (struct flame_tracks){ 0 };
}

/* The heaviest first, then as they came. */
static int compare_tracks(const void *a, const void *b)
{
	const struct flame_track *left = a, *right = b;

	if (left->weight != right->weight)
		return left->weight > right->weight ? -1 : 1;
	return left->thread < right->thread ? -1 : 1;
}

static int compare_places(const void *a, const void *b)
{
	const struct place *left = a, *right = b;

	if (left->track != right->track)
		return left->track < right->track ? -1 : 1;
	if (left->timestamp_ns != right->timestamp_ns)
		return left->timestamp_ns < right->timestamp_ns ? -1 : 1;
	return left->sample < right->sample ? -1 : 1;
}

static int weigh_threads(struct flame_tracks *t, const struct profile *p)
{
	uint32_t count;
	const struct profile_sample *samples;

	profile_threads(p, &t->count);
	t->rows = calloc(t->count + 1ul, sizeof(*t->rows));
	if (!t->rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->count; i++)
		t->rows[i] = (struct flame_track){ .thread = i, .threads = 1 };
	samples = profile_samples(p, &count);
	for (uint32_t i = 0; i < count; i++)
		if (samples[i].stack != PROFILE_NONE)
			t->rows[samples[i].thread].weight += samples[i].weight;
	qsort(t->rows, t->count, sizeof(*t->rows), compare_tracks);
	return 0;
}

/* Makes one track of the last ones, and leaves out what weighs nothing. */
static void join_last(struct flame_tracks *t, uint32_t most, uint32_t *track_of)
{
	while (t->count > 0 && !t->rows[t->count - 1].weight)
		track_of[t->rows[--t->count].thread] = UINT32_MAX;
	for (uint32_t i = 0; i < t->count; i++) {
		track_of[t->rows[i].thread] = i < most ? i : most - 1;
		if (i >= most) {
			t->rows[most - 1].weight += t->rows[i].weight;
			t->rows[most - 1].threads++;
		}
	}
	if (t->count > most)
		t->count = most;
}

static struct place *sorted_places(const struct profile *p, const uint32_t *track_of,
				   uint32_t *kept)
{
	bool keeps_order = profile_about_get(p)->keeps_order;
	uint32_t count;
	const struct profile_sample *samples = profile_samples(p, &count);
	struct place *places = calloc(count + 1ul, sizeof(*places));

	*kept = 0;
	if (!places)
		return NULL;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t track = track_of[samples[i].thread];

		if (samples[i].stack == PROFILE_NONE || track == UINT32_MAX)
			continue;
		places[(*kept)++] = (struct place){
			.track = track,
			.sample = i,
			.timestamp_ns = keeps_order ? samples[i].timestamp_ns : 0,
		};
	}
	qsort(places, *kept, sizeof(*places), compare_places);
	return places;
}

static int sort_samples(struct flame_tracks *t, const struct profile *p, const uint32_t *track_of)
{
	uint32_t count;
	OWNS_MEM struct place *places = sorted_places(p, track_of, &count);

	t->samples = calloc(count + 1ul, sizeof(*t->samples));
	if (!places || !t->samples)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		struct flame_track *track = &t->rows[places[i].track];

		t->samples[i] = places[i].sample;
		if (!track->last)
			track->first = i;
		track->last = i + 1;
	}
	return 0;
}

int flame_tracks_init(struct flame_tracks *t, const struct profile *p, uint32_t most)
{
	OWNS_MEM uint32_t *track_of = NULL;
	int err = weigh_threads(t, p);

	if (err)
		return err;
	track_of = calloc(t->count + 1ul, sizeof(*track_of));
	if (!track_of)
		return -ENOMEM;
	join_last(t, most, track_of);
	return sort_samples(t, p, track_of);
}
