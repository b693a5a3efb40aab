/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/heap_tracker.h"
#include "daemon/heap_tracker_parts.h"

#include <errno.h>

struct heap_tracker *heap_tracker_new(void)
{
	struct heap_tracker *t = calloc(1, sizeof(*t));

	if (t)
		t->temporary_budget = HEAP_TEMPORARY_MOST;
	return t;
}

/* What the tables have goes with the last session; pages that still need it have references. */
static void drop_model(struct heap_tracker *t)
{
	heap_stacks_free(TAKE(t->stacks));
	heap_model_unref(TAKE(t->model));
}

static int need_model(struct heap_tracker *t)
{
	if (!t->model)
		t->model = heap_model_new();
	if (t->model && !t->stacks)
		t->stacks = heap_stacks_new(heap_profiler_stacks(heap_model_profiler(t->model)));
	if (t->stacks)
		return 0;
	drop_model(t);
	return -ENOMEM;
}

static void forget(struct heap_tracker *t, struct tracked *s)
{
	uint32_t cycle = s->cycle + 1;

	t->temporary_budget += s->temporary.count;
	native_names_free(s->natives);
	heap_scans_fini(&s->scans);
	heap_temporary_fini(&s->temporary);
	*s = (struct tracked){ .cycle = cycle };
	if (!--t->sessions)
		drop_model(t);
}

void heap_tracker_free(struct heap_tracker *t)
{
	if (!t)
		return;
	for (uint32_t n = 0; n < SP_HEAP_SESSIONS; n++)
		if (t->of[n].is_used)
			forget(t, &t->of[n]);
	free(t);
}

struct tracked *heap_tracker_session(struct heap_tracker *t, uint32_t n)
{
	return n < SP_HEAP_SESSIONS && t->of[n].is_used ? &t->of[n] : NULL;
}

int heap_tracker_begin(struct heap_tracker *t, uint32_t n, enum heap_tier tier, uint64_t now_ns)
{
	struct tracked *s = &t->of[n];
	int err;

	if (s->is_used)
		heap_tracker_end(t, n, now_ns);
	err = need_model(t);
	if (err)
		return err;
	s->is_used = true;
	t->sessions++;
	s->tier = tier;
	s->ids = heap_ids_of(n, s->cycle);
	s->begin_ns = now_ns;
	err = heap_scans_init(&s->scans);
	if (err)
		forget(t, s);
	return err;
}

void heap_tracker_misses_frees(struct heap_tracker *t, uint32_t n)
{
	struct tracked *s = heap_tracker_session(t, n);

	if (s)
		s->misses_frees = true;
}

void heap_tracker_stop(struct heap_tracker *t, uint32_t n, uint64_t now_ns)
{
	struct tracked *s = heap_tracker_session(t, n);

	if (s && !s->stop_ns)
		s->stop_ns = now_ns;
}

void heap_tracker_end(struct heap_tracker *t, uint32_t n, uint64_t now_ns)
{
	struct tracked *s = heap_tracker_session(t, n);

	for (int domain = 0; s && t->sessions > 1 && domain < HEAP_DOMAINS; domain++)
		(void)heap_profiler_ended(heap_model_profiler(t->model), s->ids.of[domain], now_ns);
	if (!s)
		return;
	(void)heap_profiler_add_health(heap_model_profiler(t->model), &s->load.health);
	forget(t, s);
}

int heap_tracker_forked(struct heap_tracker *t, uint32_t parent, uint32_t child, uint64_t now_ns)
{
	const struct tracked *from = heap_tracker_session(t, parent);
	struct tracked *to = &t->of[child];
	int err;

	if (!from)
		return -ENOENT;
	err = heap_tracker_begin(t, child, from->tier, now_ns);
	for (int domain = 0; !err && domain < HEAP_DOMAINS; domain++) {
		int64_t count =
			heap_profiler_forked(heap_model_profiler(t->model), from->ids.of[domain],
					     to->ids.of[domain], now_ns);

		if (count < 0)
			err = (int)count;
		else
			to->load.live_samples += (uint64_t)count;
	}
	if (err && to->is_used)
		heap_tracker_end(t, child, now_ns);
	to->stop_ns = err ? 0 : now_ns;
	to->misses_frees = !err && from->misses_frees;
	return err;
}

int heap_tracker_scanned(struct heap_tracker *t, uint32_t n, uint64_t at_ns,
			 const struct heap_census *census)
{
	__attribute__((cleanup(heap_live_cleanup))) struct heap_live live = { 0 };
	struct tracked *s = heap_tracker_session(t, n);
	int err;

	if (!s)
		return 0;
	err = heap_live_take(t->model, &s->ids, NULL, census, at_ns, &live);
	return err ? err : heap_scans_add(&s->scans, at_ns, census, &live);
}

struct each_live {
	void (*live)(void *ctx, uint32_t n, uint64_t address);
	void *ctx;
};

static int tell_live(void *arg, const struct heap_sample *sample)
{
	const struct each_live *e = arg;

	e->live(e->ctx, heap_ids_session(sample->process), sample->address);
	return 0;
}

void heap_tracker_each_live(struct heap_tracker *t,
			    void (*live)(void *ctx, uint32_t n, uint64_t address), void *ctx)
{
	struct each_live e = { live, ctx };

	if (t->model)
		heap_profiler_each(heap_model_profiler(t->model), tell_live, &e);
}

void heap_tracker_maintain(struct heap_tracker *t)
{
	if (t->model)
		(void)heap_profiler_maintain(heap_model_profiler(t->model));
}

struct heap_statistics heap_tracker_statistics(const struct heap_tracker *t)
{
	struct heap_statistics all = { 0 };

	if (!t->model)
		return all;
	all = heap_profiler_statistics(
		heap_model_profiler(t->model)); /* health: of those that ended */
	for (uint32_t n = 0; n < SP_HEAP_SESSIONS; n++)
		if (t->of[n].is_used)
			all.shallow_stack_warnings += t->of[n].load.health.shallow_stack_warnings;
	return all;
}

struct heap_tracker_load heap_tracker_load(const struct heap_tracker *t, uint32_t n)
{
	struct heap_tracker_load load = { 0 };

	if (n >= SP_HEAP_SESSIONS || !t->of[n].is_used)
		return load;
	load = t->of[n].load;
	load.untold += growth_dropped(t->of[n].scans.growth);
	return load;
}
