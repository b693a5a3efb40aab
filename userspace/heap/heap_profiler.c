/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/heap_profiler.h"
#include "heap/heap_profiler_parts.h"

#include <errno.h>
#include <sched.h>

struct heap_profiler *heap_profiler_new(void)
{
	struct heap_profiler *p = calloc(1, sizeof(*p));

	if (p)
		pthread_mutex_init(&p->control, NULL);
	return p;
}

void heap_profiler_free(struct heap_profiler *p)
{
	if (!p)
		return;
	bloom_free(p->bloom);
	stack_table_free(p->stacks);
	heap_map_free(p->map);
	freed_log_free(p->log);
	pthread_mutex_destroy(&p->control);
	free(p);
}

enum heap_state heap_profiler_state(const struct heap_profiler *p)
{
	return atomic_load_explicit(&p->state, memory_order_acquire);
}

int heap_profiler_begin(struct heap_profiler *p, enum heap_call call, struct buffer *why)
{
	int after;

	pthread_mutex_lock(&p->control);
	after = heap_state_after(p->state, call);
	if (after >= 0)
		return after;
	why->len = 0;
	buffer_print(why, "%s: the heap profiler is %s", heap_call_name(call),
		     heap_state_name(p->state));
	pthread_mutex_unlock(&p->control);
	return after;
}

int heap_profiler_end(struct heap_profiler *p, int state)
{
	atomic_store_explicit(&p->state, state, memory_order_release);
	pthread_mutex_unlock(&p->control);
	return 0;
}

int heap_profiler_fail(struct heap_profiler *p, int err, struct buffer *why, const char *reason)
{
	why->len = 0;
	buffer_add_text(why, reason);
	pthread_mutex_unlock(&p->control);
	return err;
}

/* What an attempt before it has made is kept. */
static bool make_tables(struct heap_profiler *p)
{
	if (!p->log)
		p->log = freed_log_new(FREED_LOG_CAPACITY);
	if (p->log && !p->map)
		p->map = heap_map_new(HEAP_MAP_CAPACITY, p->log);
	if (!p->stacks)
		p->stacks = stack_table_new((struct stack_limits){ 0 });
	if (!p->bloom)
		p->bloom = bloom_new();
	return p->map && p->stacks && p->bloom;
}

int heap_profiler_init(struct heap_profiler *p, const struct heap_settings *s, struct buffer *why)
{
	int after = heap_profiler_begin(p, HEAP_CALL_INIT, why);

	if (after < 0)
		return after;
	if (!s->sampling_rate || s->sampling_rate > HEAP_RATE_MOST)
		return heap_profiler_fail(p, -EINVAL, why,
					  "init: the sampling rate is 1 to 4294967295 bytes");
	if (!make_tables(p))
		return heap_profiler_fail(p, -ENOMEM, why, "init: out of memory");
	p->settings = *s;
	return heap_profiler_end(p, after);
}

int heap_profiler_start(struct heap_profiler *p, struct buffer *why)
{
	int after = heap_profiler_begin(p, HEAP_CALL_START, why);

	if (after < 0)
		return after;
	atomic_store(&p->active_free, 1);
	atomic_store(&p->active_alloc, 1);
	return heap_profiler_end(p, after);
}

/* New samples are ignored, and those that are being entered are in. */
static void end_samples(struct heap_profiler *p)
{
	atomic_store(&p->active_alloc, 0);
	while (atomic_load(&p->entering))
		sched_yield();
}

static void resolve(struct heap_profiler *p)
{
	uint64_t stacks = stack_table_stats(p->stacks).stacks;

	p->settings.resolve(p->settings.arg, p->stacks);
	for (uint64_t id = 0; id < stacks; id++)
		stack_table_resolve(p->stacks, id);
}

int heap_profiler_stop(struct heap_profiler *p, struct buffer *why)
{
	int after = heap_profiler_begin(p, HEAP_CALL_STOP, why);

	if (after < 0)
		return after;
	end_samples(p);
	if (p->state == HEAP_ACTIVE && p->settings.resolve_on_stop && p->settings.resolve)
		resolve(p);
	return heap_profiler_end(p, after);
}

int heap_profiler_shutdown(struct heap_profiler *p, struct buffer *why)
{
	int after = heap_profiler_begin(p, HEAP_CALL_SHUTDOWN, why);

	if (after < 0)
		return after;
	end_samples(p);
	atomic_store(&p->active_free, 0);
	return heap_profiler_end(p, after);
}

const struct heap_settings *heap_profiler_settings(const struct heap_profiler *p)
{
	return heap_profiler_state(p) == HEAP_UNINITIALIZED ? NULL : &p->settings;
}

struct stack_table *heap_profiler_stacks(const struct heap_profiler *p)
{
	return p->stacks;
}
