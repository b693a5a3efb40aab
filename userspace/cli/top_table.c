/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top_table.h"

#include "profile/summary.h"

#include <errno.h>
#include <string.h>

void top_table_fini(struct top_table *t)
{
	free(t->rows);
	*t = (struct top_table){ 0 };
}

static int alloc_rows(struct top_table *t, uint32_t count)
{
	t->rows = calloc(count + 1, sizeof(*t->rows));
	t->count = count;
	return t->rows ? 0 : -ENOMEM;
}

static int take_functions(const struct summary *s, struct top_table *t)
{
	if (alloc_rows(t, s->function_count))
		return -ENOMEM;
	for (uint32_t i = 0; i < t->count; i++)
		t->rows[i] = (struct top_row){
			.function = s->functions[i].function,
			.own = s->functions[i].self,
			.total = s->functions[i].total,
		};
	return 0;
}

/* A frame is a function and a line: its id is the row's index. @seen: the last sample of each. */
static void add_sample(const struct profile *p, const struct profile_sample *sample,
		       uint32_t number, struct top_row *rows, uint32_t *seen)
{
	const struct profile_stack *stacks = profile_stacks(p, &(uint32_t){ 0 });

	for (profile_id at = sample->stack; at != PROFILE_NONE; at = stacks[at].prefix) {
		profile_id frame = stacks[at].frame;

		if (at == sample->stack)
			rows[frame].own += sample->weight;
		if (seen[frame] != number)
			rows[frame].total += sample->weight;
		seen[frame] = number;
	}
}

static int take_lines(const struct profile *p, struct top_table *t)
{
	uint32_t frame_count, sample_count;
	const struct profile_frame *frames = profile_frames(p, &frame_count);
	const struct profile_sample *samples = profile_samples(p, &sample_count);
	OWNS_MEM uint32_t *seen = calloc(frame_count + 1, sizeof(*seen));

	if (!seen || alloc_rows(t, frame_count))
		return -ENOMEM;
	for (uint32_t i = 0; i < frame_count; i++) {
		t->rows[i].function = frames[i].function;
		t->rows[i].line = frames[i].line;
	}
	for (uint32_t i = 0; i < sample_count; i++)
		add_sample(p, &samples[i], i + 1, t->rows, seen);
	t->count = 0;
	for (uint32_t i = 0; i < frame_count; i++)
		if (seen[i])
			t->rows[t->count++] = t->rows[i];
	return 0;
}

struct sorting {
	const struct profile *profile;
	enum top_order order;
};

static int compare_weights(int64_t a, int64_t b)
{
	return (a < b) - (a > b);
}

static int compare_texts(const struct sorting *s, const struct top_row *a, const struct top_row *b)
{
	const struct profile_function *functions = profile_functions(s->profile, &(uint32_t){ 0 });
	const struct profile_function *fa = &functions[a->function], *fb = &functions[b->function];
	int order =
		strcmp(profile_string(s->profile, fa->name), profile_string(s->profile, fb->name));

	if (!order)
		order = strcmp(profile_string(s->profile, fa->file),
			       profile_string(s->profile, fb->file));
	if (!order)
		order = (fa->first_line > fb->first_line) - (fa->first_line < fb->first_line);
	return order ? order : (a->line > b->line) - (a->line < b->line);
}

/* The column's, then the other weight, then names, so that equal rows stay where they are. */
static int compare_rows(const void *left, const void *right, void *ctx)
{
	const struct top_row *a = left, *b = right;
	const struct sorting *s = ctx;
	int own = compare_weights(a->own, b->own), total = compare_weights(a->total, b->total);
	bool by_total = s->order == TOP_BY_TOTAL || s->order == TOP_BY_TOTAL_TIME;
	int first = by_total ? total : own, second = by_total ? own : total;

	if (first || second)
		return first ? first : second;
	return compare_texts(s, a, b);
}

int top_table_make(const struct profile *p, enum top_rows kind, enum top_order order,
		   struct top_table *out)
{
	OWNS(top_table) struct top_table t = { 0 };
	OWNS(summary) struct summary s = { 0 };
	struct sorting sorting = { p, order };
	int err = summary_make(p, &s);

	if (!err)
		err = kind == TOP_FUNCTIONS ? take_functions(&s, &t) : take_lines(p, &t);
	if (err)
		return err;
	t.weight = s.weight;
	t.samples = s.samples;
	t.threads = s.threads;
	qsort_r(t.rows, t.count, sizeof(*t.rows), compare_rows, &sorting);
	*out = t;
	t = (struct top_table){ 0 };
	return 0;
}
