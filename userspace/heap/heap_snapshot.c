/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/heap_snapshot.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static uint64_t weight_of(const struct heap_sample *s)
{
	return llround(estimate_weight(s->size, s->rate));
}

struct allocation_sample allocation_sample_of(const struct heap_sample *live)
{
	uint64_t weight = weight_of(live);

	return (struct allocation_sample){
		.address = live->address,
		.size = live->size,
		.weight = weight,
		.estimated_bytes = weight,
		.timestamp_ns = live->birth,
		.stack = live->stack,
		.process = live->process,
	};
}

struct allocation_sample allocation_sample_of_freed(const struct freed_row *freed)
{
	struct allocation_sample s = allocation_sample_of(&freed->sample);

	s.lifetime_ns = freed_row_lifetime_ns(freed);
	return s;
}

struct taking {
	struct heap_snapshot *snapshot;
	size_t room;
};

static int keep(void *arg, const struct heap_sample *s)
{
	struct taking *t = arg;
	struct heap_snapshot *to = t->snapshot;

	if (to->live_samples == t->room) {
		size_t room = t->room ? t->room * 2 : 1024;
		void *samples = reallocarray(to->samples, room, sizeof(*to->samples));

		if (!samples)
			return -ENOMEM;
		to->samples = samples;
		t->room = room;
	}
	to->samples[to->live_samples++] = *s;
	to->estimated_heap_bytes += weight_of(s);
	estimate_add(&to->estimate, s->size, s->rate);
	return 0;
}

/* The totals are those of a moment after it: no sample lives that they have not counted. */
static int take_once(struct heap_map *m, uint64_t now_ns, struct heap_snapshot *out)
{
	struct taking t = { .snapshot = out };
	struct heap_map_counts counts;
	struct heap_walk walk;
	int err;

	*out = (struct heap_snapshot){ 0 };
	err = heap_map_visit(m, now_ns, keep, &t, &walk);
	if (err) {
		heap_snapshot_fini(out);
		return err;
	}
	counts = heap_map_counts(m);
	out->total_samples = counts.of[HEAP_MAP_SAMPLES];
	out->timestamp_ns = walk.as_of;
	out->unborn = walk.unborn;
	out->missed = walk.missed;
	return 0;
}

int heap_snapshot_take(struct heap_map *m, uint64_t now_ns, struct heap_snapshot *out)
{
	int err;

	for (int tries = 1;; tries++) {
		err = take_once(m, now_ns, out);
		if (err || !out->missed || tries == HEAP_SNAPSHOT_TRIES)
			return err;
		heap_snapshot_fini(out);
	}
}

void heap_snapshot_fini(struct heap_snapshot *s)
{
	free(s->samples);
	*s = (struct heap_snapshot){ 0 };
}

static int by_stack(const void *a, const void *b)
{
	const struct heap_allocator *left = a, *right = b;

	return (left->stack > right->stack) - (left->stack < right->stack);
}

static int by_bytes(const void *a, const void *b)
{
	const struct heap_allocator *left = a, *right = b;

	if (left->estimated_bytes != right->estimated_bytes)
		return left->estimated_bytes < right->estimated_bytes ? 1 : -1;
	return by_stack(a, b);
}

/* One row a stack, of rows that are in the order of their stacks. */
static size_t sum_up(struct heap_allocator *rows, size_t count)
{
	size_t sums = 0;

	for (size_t i = 0; i < count; i++) {
		if (sums && rows[sums - 1].stack == rows[i].stack) {
			rows[sums - 1].estimated_bytes += rows[i].estimated_bytes;
			rows[sums - 1].sample_count += rows[i].sample_count;
		} else {
			rows[sums++] = rows[i];
		}
	}
	return sums;
}

int64_t heap_snapshot_top_allocators(const struct heap_snapshot *s, struct heap_allocator *top,
				     size_t most)
{
	OWNS_MEM struct heap_allocator *rows = calloc(s->live_samples + 1, sizeof(*rows));
	size_t count;

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < s->live_samples; i++)
		rows[i] = (struct heap_allocator){ s->samples[i].stack, weight_of(&s->samples[i]),
						   1 };
	qsort(rows, s->live_samples, sizeof(*rows), by_stack);
	count = sum_up(rows, s->live_samples);
	qsort(rows, count, sizeof(*rows), by_bytes);
	count = count < most ? count : most;
	memcpy(top, rows, count * sizeof(*top));
	return count;
}
