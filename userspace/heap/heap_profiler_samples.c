/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to the samples of a heap profiler: from any thread, at any time. */
#include "heap/heap_profiler.h"
#include "heap/heap_profiler_parts.h"

#include <errno.h>

/* The filter knows of it before anybody can free it. */
static int enter(struct heap_profiler *p, const struct heap_allocation *a, uint32_t stack)
{
	struct bloom_pass pass = bloom_add(p->bloom, a->process, a->address);
	struct heap_place place;
	int err = heap_map_reserve(p->map, a->process, a->address, a->now_ns, &place);

	if (!err && stack == HEAP_NO_STACK)
		atomic_fetch_add_explicit(&p->stackless, 1, memory_order_relaxed);
	if (!err)
		err = heap_map_publish(p->map, &place, a->size,
				       a->rate ? a->rate : p->settings.sampling_rate, stack);
	bloom_added(p->bloom, pass);
	return err;
}

int heap_profiler_sample_stack(struct heap_profiler *p, const struct heap_allocation *a,
			       uint32_t stack)
{
	int err = -ESHUTDOWN;

	atomic_fetch_add(&p->entering, 1);
	if (atomic_load(&p->active_alloc))
		err = enter(p, a, stack);
	atomic_fetch_sub(&p->entering, 1);
	return err;
}

int heap_profiler_find(struct heap_profiler *p, uint16_t process, uint64_t address,
		       struct heap_sample *s)
{
	if (!atomic_load_explicit(&p->active_free, memory_order_acquire) ||
	    !bloom_may_have(p->bloom, process, address))
		return -ENOENT;
	return heap_map_find(p->map, process, address, s);
}

int heap_profiler_freed(struct heap_profiler *p, uint16_t process, uint64_t address,
			uint64_t now_ns)
{
	if (!atomic_load_explicit(&p->active_free, memory_order_acquire))
		return -ESHUTDOWN;
	if (!bloom_may_have(p->bloom, process, address))
		return -ENOENT;
	return heap_map_remove(p->map, process, address, now_ns);
}

/* Takes the turn where there are tables that go on. */
static bool begin_running(struct heap_profiler *p)
{
	pthread_mutex_lock(&p->control);
	if (p->state == HEAP_ACTIVE || p->state == HEAP_STOPPED)
		return true;
	pthread_mutex_unlock(&p->control);
	return false;
}

struct forking {
	struct heap_profiler *profiler;
	uint16_t parent, child;
	uint64_t now_ns;
	int64_t entered;
};

static int fork_sample(void *arg, const struct heap_sample *s)
{
	struct forking *f = arg;
	struct heap_profiler *p = f->profiler;
	struct heap_place place;
	struct bloom_pass pass;

	if (s->process != f->parent)
		return 0;
	pass = bloom_add(p->bloom, f->child, s->address);
	if (!heap_map_reserve(p->map, f->child, s->address, f->now_ns, &place) &&
	    !heap_map_publish(p->map, &place, s->size, s->rate, s->stack))
		f->entered++;
	bloom_added(p->bloom, pass);
	return 0;
}

int64_t heap_profiler_forked(struct heap_profiler *p, uint16_t parent, uint16_t child,
			     uint64_t now_ns)
{
	struct forking f = { p, parent, child, now_ns, 0 };
	struct heap_walk walk;
	int err;

	if (!begin_running(p))
		return -ESHUTDOWN;
	err = heap_map_visit(p->map, now_ns, fork_sample, &f, &walk);
	pthread_mutex_unlock(&p->control);
	return err ? err : f.entered;
}

int64_t heap_profiler_ended(struct heap_profiler *p, uint16_t process, uint64_t now_ns)
{
	int64_t ended;

	if (!begin_running(p))
		return -ESHUTDOWN;
	ended = heap_map_drop_process(p->map, process, now_ns);
	pthread_mutex_unlock(&p->control);
	return ended;
}

int heap_profiler_visit(struct heap_profiler *p, uint64_t now_ns, heap_visitor *visit, void *arg,
			struct heap_walk *walk)
{
	int err;

	if (!begin_running(p))
		return -ESHUTDOWN;
	err = heap_map_visit(p->map, now_ns, visit, arg, walk);
	pthread_mutex_unlock(&p->control);
	return err;
}

void heap_profiler_each(struct heap_profiler *p, heap_visitor *visit, void *arg)
{
	if (!begin_running(p))
		return;
	heap_map_each(p->map, visit, arg);
	pthread_mutex_unlock(&p->control);
}

int heap_profiler_add_health(struct heap_profiler *p, const struct frame_health *health)
{
	if (!begin_running(p))
		return -ESHUTDOWN;
	frame_health_merge(&p->health, health);
	pthread_mutex_unlock(&p->control);
	return 0;
}

static int keep_in_filter(void *arg, const struct heap_sample *s)
{
	bloom_rebuild_keep(arg, s->process, s->address);
	return 0;
}

int heap_profiler_maintain(struct heap_profiler *p)
{
	int64_t err = 0;

	if (!begin_running(p))
		return -ESHUTDOWN;
	if (bloom_wants_rebuild(p->bloom) && !bloom_rebuild_begin(p->bloom)) {
		heap_map_each(p->map, keep_in_filter, p->bloom);
		bloom_rebuild_end(p->bloom);
	}
	if (p->state == HEAP_STOPPED)
		err = heap_map_compact(p->map);
	pthread_mutex_unlock(&p->control);
	return err < 0 ? err : 0;
}
