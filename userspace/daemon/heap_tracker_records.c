/* SPDX-License-Identifier: Apache-2.0 */
/* What a heap tracker makes of records. */
#include "daemon/heap_tracker.h"
#include "daemon/heap_tracker_parts.h"
#include "python/pymalloc_pool.h"

#include <errno.h>

#define CLASS_STEP 16 /* bytes from one of pymalloc's size classes to the next */

/* @s lives no more: its free was seen, or (@lifetime_ns 0) it must have been. */
static void end_sample(struct heap_tracker *t, struct tracked *s, const struct heap_sample *sample,
		       uint64_t now_ns, uint64_t lifetime_ns)
{
	if (heap_profiler_freed(heap_model_profiler(t->model), sample->process, sample->address,
				now_ns))
		return;
	s->load.freed++;
	s->load.live_samples--;
	if (heap_temporary_add(&s->temporary, sample, lifetime_ns, &t->temporary_budget))
		s->load.untold++;
}

static bool find(struct heap_tracker *t, const struct tracked *s, uint64_t address,
		 struct heap_sample *out)
{
	struct heap_profiler *p = heap_model_profiler(t->model);

	for (int domain = 0; domain < HEAP_DOMAINS; domain++)
		if (!heap_profiler_find(p, s->ids.of[domain], address, out))
			return true;
	return false;
}

static struct heap_stack stack_of(struct heap_tracker *t, struct tracked *s,
				  const struct sp_alloc *a, const struct sampled *x)
{
	if (a->native_count && !s->natives)
		s->natives = native_names_new(x->process->pid, &x->process->interpreter);
	frame_health_add(&s->load.health, a->native_count);
	return heap_stacks_find(t->stacks, x->process, a, s->natives);
}

/* What is there already has been freed: an allocator gives a pointer to one at a time. */
void heap_tracker_allocated(struct heap_tracker *t, const struct sp_alloc *a, struct sampled *x)
{
	struct tracked *s = heap_tracker_session(t, a->session);
	struct heap_sample before;
	struct heap_allocation allocation;
	struct heap_stack stack;

	if (!s)
		return;
	if (a->domain >= HEAP_DOMAINS || !a->size) {
		s->load.dropped++;
		return;
	}
	if (find(t, s, a->address, &before))
		end_sample(t, s, &before, a->head.time_ns, 0);
	stack = stack_of(t, s, a, x);
	allocation = (struct heap_allocation){ .address = a->address,
					       .size = a->size,
					       .now_ns = a->head.time_ns,
					       .rate = a->rate,
					       .process = s->ids.of[a->domain] };
	if (heap_profiler_sample_stack(heap_model_profiler(t->model), &allocation, stack.id)) {
		s->load.dropped++;
		return;
	}
	s->load.samples++;
	s->load.live_samples++;
	s->load.untold += stack.id == HEAP_NO_STACK;
}

void heap_tracker_refilled(struct heap_tracker *t, const struct sp_alloc *a, struct sampled *x)
{
	struct tracked *s = heap_tracker_session(t, a->session);
	struct heap_stack stack;

	if (!s)
		return;
	if (a->size >= PYMALLOC_POOL_CLASSES) {
		s->load.dropped++;
		return;
	}
	stack = stack_of(t, s, a, x);
	if (stack.id == HEAP_NO_STACK)
		stack.line = 0; /* it could not be told */
	if (growth_refilled(s->scans.growth, CLASS_STEP * (uint32_t)(a->size + 1), stack.id,
			    stack.line, a->rate)) {
		s->load.dropped++;
		return;
	}
	s->load.samples++;
	s->load.untold += stack.id == HEAP_NO_STACK;
}

void heap_tracker_freed(struct heap_tracker *t, const struct sp_free *f)
{
	struct tracked *s = heap_tracker_session(t, f->session);
	uint64_t now_ns = f->head.time_ns;
	struct heap_sample sample;

	if (s && find(t, s, f->address, &sample))
		end_sample(t, s, &sample, now_ns,
			   now_ns > sample.birth ? now_ns - sample.birth : 1);
}
