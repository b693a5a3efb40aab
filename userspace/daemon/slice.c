/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/slice.h"

#include <errno.h>
#include <stdlib.h>
#include <xxhash.h>

void holdings_fini(struct holdings *h)
{
	free(h->processes);
}

void holdings_count_names(struct holdings *h)
{
	for (uint32_t i = 0; i < h->count; i++) {
		struct process *p = h->processes[i];
		size_t bytes = p->ended_ns && p->codes ? code_table_bytes(p->codes) : 0;

		h->bytes += bytes - p->window_bytes;
		p->window_bytes = bytes;
	}
}

static int hold_process(struct holdings *h, struct process *p)
{
	uint32_t room = h->room ? h->room * 2 : 64;
	struct process **grown;

	if (p->window_stacks++)
		return 0;
	if (h->count == h->room) {
		grown = reallocarray(h->processes, room, sizeof(*grown));
		if (!grown) {
			p->window_stacks--;
			return -ENOMEM;
		}
		h->processes = grown;
		h->room = room;
	}
	p->window_index = h->count;
	h->processes[h->count++] = p;
	(void)process_cgroup(p); /* it may end while we hold it */
	return 0;
}

static void release_process(struct holdings *h, struct process *p)
{
	if (--p->window_stacks)
		return;
	h->bytes -= p->window_bytes;
	p->window_bytes = 0;
	h->processes[p->window_index] = h->processes[--h->count];
	h->processes[p->window_index]->window_index = p->window_index;
}

static size_t index_bytes(const struct hash_index *ix)
{
	return hash_index_bytes(ix);
}

/* Its name may have come, or changed, since it was counted. */
static void count_thread(struct holdings *h, struct thread *t)
{
	size_t bytes = t->window_refs ? thread_bytes(t) : 0;

	h->bytes += bytes - t->window_bytes;
	t->window_bytes = bytes;
}

static int hold(struct holdings *h, struct stack *stack, struct thread *thread)
{
	if (!stack->window_refs) {
		if (hold_process(h, stack->process))
			return -ENOMEM;
		h->bytes += stack_bytes(stack);
	}
	stack->window_refs++;
	stack_ref(stack);
	thread->window_refs++;
	count_thread(h, thread);
	thread_ref(thread);
	return 0;
}

static void release(struct holdings *h, struct row *row)
{
	if (!--row->stack->window_refs) {
		h->bytes -= stack_bytes(row->stack);
		release_process(h, row->stack->process);
	}
	row->thread->window_refs--;
	count_thread(h, row->thread);
	stack_unref(row->stack);
	thread_unref(row->thread);
}

static int grow_rows(struct slice *s, struct holdings *h, uint32_t room)
{
	struct row *grown = reallocarray(s->rows, room, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	h->bytes += ((uint64_t)room - s->room) * sizeof(*grown);
	s->rows = grown;
	s->room = room;
	return 0;
}

static int append(struct slice *s, struct holdings *h, uint64_t hash, struct stack *stack,
		  struct thread *thread)
{
	size_t index = index_bytes(&s->index);
	int err = s->count < s->room ? 0 : grow_rows(s, h, s->room ? s->room * 2 : 32);

	if (!err)
		err = hash_index_add(&s->index, hash, s->count);
	h->bytes += index_bytes(&s->index) - index;
	if (!err)
		err = hold(h, stack, thread);
	if (!err)
		s->rows[s->count++] = (struct row){ .stack = stack, .thread = thread };
	return err;
}

struct row *slice_row(struct slice *s, struct holdings *h, struct stack *stack,
		      struct thread *thread)
{
	const void *both[] = { stack, thread };
	uint64_t hash = XXH3_64bits(both, sizeof(both));
	struct hash_probe probe = hash_index_find(&s->index, hash);
	uint32_t i;

	while (hash_probe_next(&probe, &i))
		if (i < s->count && s->rows[i].stack == stack && s->rows[i].thread == thread)
			return &s->rows[i];
	return append(s, h, hash, stack, thread) ? NULL : &s->rows[s->count - 1];
}

struct slice *slice_new(struct holdings *h, uint64_t number)
{
	struct slice *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->number = number;
	h->bytes += sizeof(*s);
	return s;
}

void slice_free(struct slice *s, struct holdings *h)
{
	for (uint32_t i = 0; i < s->count; i++)
		release(h, &s->rows[i]);
	h->bytes -= sizeof(*s) + s->room * sizeof(*s->rows) + index_bytes(&s->index);
	hash_index_fini(&s->index);
	free(s->rows);
	free(s);
}

void slice_close(struct slice *s, struct holdings *h)
{
	if (!s->index.capacity)
		return;
	h->bytes -= index_bytes(&s->index);
	hash_index_fini(&s->index);
	s->index = (struct hash_index){ 0 };
	if (s->count)
		(void)grow_rows(s, h, s->count);
}
