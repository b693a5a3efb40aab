/* SPDX-License-Identifier: Apache-2.0 */
#include "export/html_runs.h"

#include <errno.h>

void html_runs_fini(struct html_runs *runs)
{
	free(runs->rows);
	*runs = (struct html_runs){ 0 };
}

/* The lowest box that both hang from. */
static uint32_t common_box(const struct flame_boxes *boxes, uint32_t a, uint32_t b)
{
	const struct flame_box *rows = boxes->rows;

	/* In preorder what hangs from a box comes after it. */
	while (a != b) {
		if (a > b)
			a = rows[a].parent;
		else
			b = rows[b].parent;
	}
	return a;
}

static void add_run(struct html_runs *runs, uint32_t box, int64_t weight)
{
	if (!weight)
		return;
	if (runs->count && runs->rows[runs->count - 1].box == box)
		runs->rows[runs->count - 1].weight += weight;
	else
		runs->rows[runs->count++] = (struct html_run){ .box = box, .weight = weight };
}

/* In place: what is written never overtakes what is read. */
static void join_short(struct html_runs *runs, const struct flame_boxes *boxes, int64_t least)
{
	uint32_t count = runs->count, put = 0;

	for (uint32_t i = 0; i < count; put++) {
		struct html_run run = runs->rows[i++];

		for (; run.weight < least && i < count && runs->rows[i].weight < least; i++) {
			run.box = common_box(boxes, run.box, runs->rows[i].box);
			run.weight += runs->rows[i].weight;
			runs->joined++;
		}
		runs->rows[put] = run;
	}
	runs->count = put;
}

int html_runs_init(struct html_runs *runs, const struct flame_tree *tree,
		   const struct flame_boxes *boxes, const struct flame_tracks *tracks,
		   uint32_t track, int64_t least)
{
	const struct flame_track *t = &tracks->rows[track];
	uint32_t count;
	const struct profile_sample *samples = profile_samples(tree->profile, &count);

	runs->rows = calloc(t->last - t->first + 1ul, sizeof(*runs->rows));
	if (!runs->rows)
		return -ENOMEM;
	for (uint32_t i = t->first; i < t->last; i++) {
		const struct profile_sample *sample = &samples[tracks->samples[i]];

		add_run(runs, boxes->box_of[tree->node_of[sample->stack]], sample->weight);
	}
	join_short(runs, boxes, least);
	return 0;
}
