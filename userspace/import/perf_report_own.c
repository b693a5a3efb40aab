/* SPDX-License-Identifier: Apache-2.0 */
/* What a report that does not show everything tells beside its whole stacks. */
#include "import/names.h"
#include "import/perf_report_reader.h"

#include <stdlib.h>

void report_reset_own(struct report_reader *r)
{
	profile_free(r->own.profile);
	stack_builder_cleanup(&r->own.builder);
	free(r->own.frames);
	r->own = (struct report_own){ 0 };
	profile_pruned_free(r->pruned);
	r->pruned = NULL;
}

static int make_room(struct report_own *own, profile_id frame)
{
	uint32_t room = 2 * frame + 256;
	profile_id *grown;

	if (frame < own->frame_room)
		return 0;
	grown = reallocarray(own->frames, room, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	memset(grown + own->frame_room, 0, (room - own->frame_room) * sizeof(*grown));
	own->frames = grown;
	own->frame_room = room;
	return 0;
}

/* The other profile's frame of the same function. */
static int find_frame(struct report_reader *r, profile_id frame, profile_id *found)
{
	struct report_own *own = &r->own;
	struct profile_function function;
	uint32_t count;
	int err = make_room(own, frame);

	if (err)
		return err;
	if (own->frames[frame]) {
		*found = own->frames[frame] - 1;
		return 0;
	}
	frame = profile_frames(r->profile, &count)[frame].function;
	function = profile_functions(r->profile, &count)[frame];
	err = profile_add_string(own->profile, profile_string(r->profile, function.name),
				 profile_string_len(r->profile, function.name), &function.name);
	return err ? err : names_add_frame(own->profile, &function, 0, found);
}

static int build(struct report_reader *r, uint32_t at)
{
	const struct report_graph *g = &r->graph;
	struct report_own *own = &r->own;
	int err = 0;

	stack_builder_keep(&own->builder, own->built);
	for (; own->built <= g->nodes[at].depth && !err; own->built++) {
		profile_id frame = g->nodes[g->path[own->built]].frame, found;

		err = find_frame(r, frame, &found);
		if (err)
			return err;
		own->frames[frame] = found + 1;
		err = stack_builder_push(&own->builder, found);
	}
	return err;
}

int report_add_own(struct report_reader *r, uint32_t at, int64_t weight, uint32_t numbers)
{
	struct report_own *own = &r->own;
	struct profile_sample sample = { .weight = weight, .count = numbers };
	struct profile_thread nobody = { 0 };
	int err;

	if (!weight)
		return 0;
	if (!own->profile)
		own->profile = own->builder.profile = profile_new();
	if (!own->profile)
		return -ENOMEM;
	err = build(r, at);
	sample.stack = stack_builder_stack(&own->builder);
	if (!err)
		err = profile_add_thread(own->profile, &nobody, &sample.thread);
	return err ? err : profile_add_sample(own->profile, &sample);
}

static struct pruned_entry *new_entry(struct report_reader *r)
{
	struct profile_pruned *p = r->pruned;

	if (!p)
		p = r->pruned = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	if (p->count == p->room) {
		uint32_t room = p->room ? 2 * p->room : 64;
		void *grown = reallocarray(p->entries, room, sizeof(*p->entries));

		if (!grown)
			return NULL;
		p->entries = grown;
		p->room = room;
	}
	return &p->entries[p->count];
}

int report_add_entry(struct report_reader *r)
{
	const struct report_entry *e = &r->entry;
	struct pruned_entry *row = e->is_in_object ? NULL : new_entry(r);
	uint32_t count;
	int err;

	if (!row)
		return e->is_in_object ? 0 : -ENOMEM; /* no graph calls it by that number */
	*row = (struct pruned_entry){ .children = report_children(r), .self = e->own };
	row->comm = profile_threads(r->profile, &count)[e->thread_row].name;
	err = names_add(r->profile, e->object.text, e->object.len, &row->object);
	if (err)
		return err;
	row->symbol = profile_frames(r->profile, &count)[e->frame].function;
	row->symbol = profile_functions(r->profile, &count)[row->symbol].name;
	r->pruned->count++;
	return 0;
}
