/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weights are summed up the tree of stacks first, then one walk through the tree gives
 * each function what its outermost calls hold: linear in the size of the profile.
 */
#include "profile/summary.h"

#include "profile/summary_sort.h"

#include <errno.h>
#include <stdlib.h>

struct node {
	int64_t total;		   /* of this stack and all that it is the prefix of */
	profile_id child, sibling; /* PROFILE_NONE: no more; only what samples use */
	bool is_used;		   /* a sample has it */
};

struct work {
	const struct profile_function *functions;
	const struct profile_frame *frames;
	const struct profile_stack *stacks;
	const struct profile_sample *samples;
	uint32_t function_count, frame_count, stack_count, sample_count, thread_count;

	struct node *nodes;		      /* one a stack; behind them the one above all roots */
	int64_t *frame_self;		      /* one a frame */
	uint32_t *open;			      /* calls of each function on the walk's path */
	struct summary_function *by_function; /* one a function */
	bool *has_function, *has_thread;      /* in samples */
};

static void work_cleanup(struct work *w)
{
	free(w->nodes);
	free(w->frame_self);
	free(w->open);
	free(w->by_function);
	free(w->has_function);
	free(w->has_thread);
}

/* Zeroed, and never NULL for want of rows. */
static void *rows_new(uint32_t count, size_t size)
{
	return calloc(count + 1ul, size);
}

static int work_init(struct work *w, const struct profile *p)
{
	w->functions = profile_functions(p, &w->function_count);
	w->frames = profile_frames(p, &w->frame_count);
	w->stacks = profile_stacks(p, &w->stack_count);
	w->samples = profile_samples(p, &w->sample_count);
	profile_threads(p, &w->thread_count);
	w->nodes = rows_new(w->stack_count, sizeof(*w->nodes));
	w->frame_self = rows_new(w->frame_count, sizeof(*w->frame_self));
	w->open = rows_new(w->function_count, sizeof(*w->open));
	w->by_function = rows_new(w->function_count, sizeof(*w->by_function));
	w->has_function = rows_new(w->function_count, sizeof(*w->has_function));
	w->has_thread = rows_new(w->thread_count, sizeof(*w->has_thread));
	if (!w->nodes || !w->frame_self || !w->open || !w->by_function || !w->has_function ||
	    !w->has_thread)
		return -ENOMEM;
	return 0;
}

static void take_samples(struct work *w, struct summary *s)
{
	for (uint32_t i = 0; i < w->sample_count; i++) {
		const struct profile_sample *sample = &w->samples[i];
		profile_id frame;

		summary_add(&s->weight, sample->weight);
		s->samples += sample->count;
		s->threads += !w->has_thread[sample->thread];
		w->has_thread[sample->thread] = true;
		if (sample->stack == PROFILE_NONE)
			continue;
		frame = w->stacks[sample->stack].frame;
		summary_add(&w->nodes[sample->stack].total, sample->weight);
		w->nodes[sample->stack].is_used = true;
		summary_add(&w->frame_self[frame], sample->weight);
		summary_add(&w->by_function[w->frames[frame].function].self, sample->weight);
	}
}

/* The node above; a prefix was added before its stack, so its id is smaller. */
static profile_id above(const struct work *w, profile_id stack)
{
	profile_id prefix = w->stacks[stack].prefix;

	return prefix < stack ? prefix : w->stack_count;
}

/* From the last id to the first, each sum is complete when it is handed up. */
static void sum_up(struct work *w)
{
	w->nodes[w->stack_count].child = PROFILE_NONE;
	for (profile_id i = 0; i < w->stack_count; i++)
		w->nodes[i].child = PROFILE_NONE;
	for (profile_id i = w->stack_count; i-- > 0;) {
		struct node *node = &w->nodes[i], *parent = &w->nodes[above(w, i)];

		if (!node->is_used)
			continue;
		summary_add(&parent->total, node->total);
		parent->is_used = true;
		node->sibling = parent->child;
		parent->child = i;
	}
}

static profile_id function_of(const struct work *w, profile_id stack)
{
	return w->frames[w->stacks[stack].frame].function;
}

static void enter(struct work *w, profile_id stack)
{
	profile_id function = function_of(w, stack);

	w->has_function[function] = true;
	if (!w->open[function]++)
		summary_add(&w->by_function[function].total, w->nodes[stack].total);
}

/* Depth first; the way back is in the prefixes, so no depth is too much. */
static void walk(struct work *w)
{
	profile_id top = w->stack_count, at = top;

	for (;;) {
		profile_id next = w->nodes[at].child;

		while (next == PROFILE_NONE && at != top) {
			w->open[function_of(w, at)]--;
			next = w->nodes[at].sibling;
			at = above(w, at);
		}
		if (next == PROFILE_NONE)
			return;
		at = next;
		enter(w, at);
	}
}

static int list_functions(struct work *w, struct summary *s)
{
	s->functions = rows_new(w->function_count, sizeof(*s->functions));
	if (!s->functions)
		return -ENOMEM;
	for (profile_id i = 0; i < w->function_count; i++) {
		w->by_function[i].function = i;
		if (w->has_function[i])
			s->functions[s->function_count++] = w->by_function[i];
	}
	return 0;
}

static int list_lines(const struct work *w, struct summary *s)
{
	s->lines = rows_new(w->frame_count, sizeof(*s->lines));
	if (!s->lines)
		return -ENOMEM;
	for (profile_id i = 0; i < w->frame_count; i++) {
		profile_id function = w->frames[i].function;

		if (w->frame_self[i])
			s->lines[s->line_count++] =
				(struct summary_line){ .function = function,
						       .file = w->functions[function].file,
						       .line = w->frames[i].line,
						       .self = w->frame_self[i] };
	}
	return 0;
}

int summary_make(const struct profile *p, struct summary *out)
{
	__attribute__((cleanup(work_cleanup))) struct work w = { 0 };
	OWNS(summary) struct summary s = { 0 };
	int err = work_init(&w, p);

	if (err)
		return err;
	take_samples(&w, &s);
	sum_up(&w);
	walk(&w);
	err = list_functions(&w, &s);
	if (!err)
		err = list_lines(&w, &s);
	if (err)
		return err;
	summary_sort(p, &s);
	*out = s;
	s = (struct summary){ 0 };
	return 0;
}

void summary_fini(struct summary *s)
{
	free(s->functions);
	free(s->lines);
	*s = (struct summary){ 0 };
}
