/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/hierarchy_walk.h"
#include "calltree/stacks.h"

#include <errno.h>
#include <string.h>

_Static_assert(PROFILE_NONE == HIERARCHY_NONE, "one value says that there is none");

static uint32_t *new_row(uint32_t count)
{
	uint32_t *row = malloc((count + 1ul) * sizeof(*row));

	if (row)
		memset(row, 0xff, (count + 1ul) * sizeof(*row));
	return row;
}

/* From the last row to the first, so that each comes after all that is below it. */
static void link_stacks(struct hierarchy_walk *w)
{
	for (uint32_t i = w->count; i-- > 0;) {
		profile_id prefix = w->stacks[i].prefix;
		uint32_t *first = prefix == PROFILE_NONE ? &w->root : &w->child[prefix];

		if (!w->is_used[i])
			continue;
		w->sibling[i] = *first;
		*first = i;
		if (prefix == PROFILE_NONE)
			continue;
		w->is_used[prefix] = true;
		weight_add(&w->weight[prefix], w->weight[i]);
	}
}

int hierarchy_walk_init(struct hierarchy_walk *w, const struct profile *p, int64_t least)
{
	uint32_t sample_count, functions;
	const struct profile_sample *samples = profile_samples(p, &sample_count);

	*w = (struct hierarchy_walk){ .root = HIERARCHY_NONE };
	w->stacks = profile_stacks(p, &w->count);
	w->frames = profile_frames(p, &w->frame_count);
	w->functions = profile_functions(p, &functions);
	w->is_used = calloc(w->count + 1ul, sizeof(*w->is_used));
	w->weight = calloc(w->count + 1ul, sizeof(*w->weight));
	w->child = new_row(w->count);
	w->sibling = new_row(w->count);
	if (!w->is_used || !w->weight || !w->child || !w->sibling)
		return -ENOMEM;
	for (uint32_t i = 0; i < sample_count; i++) {
		const struct profile_sample *s = &samples[i];

		if (s->stack == PROFILE_NONE)
			continue;
		w->is_used[s->stack] = true;
		weight_add(&w->weight[s->stack], s->weight < least ? least : s->weight);
	}
	link_stacks(w);
	return 0;
}

void hierarchy_walk_fini(struct hierarchy_walk *w)
{
	free(w->is_used);
	free(w->weight);
	free(w->child);
	free(w->sibling);
	free(w->entry_of_frame);
	free(w->nearest);
	free(w->since);
}

static uint32_t entry_at(const struct hierarchy_walk *w, uint32_t stack)
{
	return w->entry_of_frame[w->stacks[stack].frame];
}

/* The stack after @stack, all that end on the way being left. */
static uint32_t next_stack(struct hierarchy_walk *w, uint32_t stack,
			   const struct hierarchy_visitor *visitor)
{
	if (w->child[stack] != HIERARCHY_NONE)
		return w->child[stack];
	for (; stack != PROFILE_NONE; stack = w->stacks[stack].prefix) {
		uint32_t entry = entry_at(w, stack);

		if (entry != HIERARCHY_NONE && w->since[entry] == stack) {
			w->since[entry] = HIERARCHY_NONE;
			if (visitor->left)
				visitor->left(visitor->arg, entry);
		}
		if (w->sibling[stack] != HIERARCHY_NONE)
			return w->sibling[stack];
	}
	return HIERARCHY_NONE;
}

static int prepare(struct hierarchy_walk *w, const uint32_t *entry_of, uint32_t entry_count)
{
	w->entry_of_frame = new_row(w->frame_count);
	w->nearest = new_row(w->count);
	w->since = new_row(entry_count);
	if (!w->entry_of_frame || !w->nearest || !w->since)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->frame_count; i++)
		w->entry_of_frame[i] = entry_of[w->functions[w->frames[i].function].name];
	return 0;
}

/* Whether @step is the outermost call of an entry. */
static bool enter(struct hierarchy_walk *w, struct hierarchy_step *step)
{
	profile_id prefix = w->stacks[step->stack].prefix;

	if (prefix == PROFILE_NONE)
		step->root = step->stack;
	step->caller = prefix == PROFILE_NONE ? HIERARCHY_NONE : w->nearest[prefix];
	step->entry = entry_at(w, step->stack);
	step->weight = w->weight[step->stack];
	w->nearest[step->stack] = step->entry == HIERARCHY_NONE ? step->caller : step->entry;
	if (step->entry == HIERARCHY_NONE || w->since[step->entry] != HIERARCHY_NONE)
		return false;
	w->since[step->entry] = step->stack;
	return true;
}

int hierarchy_walk_run(struct hierarchy_walk *w, const uint32_t *entry_of, uint32_t entry_count,
		       const struct hierarchy_visitor *visitor)
{
	struct hierarchy_step step = { .stack = w->root };
	int err = prepare(w, entry_of, entry_count);

	while (!err && step.stack != HIERARCHY_NONE) {
		if (enter(w, &step))
			err = visitor->found(visitor->arg, &step);
		if (visitor->reached)
			visitor->reached(visitor->arg, step.stack);
		step.stack = next_stack(w, step.stack, visitor);
	}
	return err;
}
