/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/tally.h"

#include "base/hash_index.h"
#include "daemon/filling.h"

#include <errno.h>
#include <xxhash.h>

struct sample_row {
	uint32_t stack, thread; /* indices */
	uint64_t weight_ns;
	uint64_t count;
	uint64_t time_ns; /* CLOCK_MONOTONIC; 0 when summed up */
};

/* An array that grows; @used and @room count elements. */
#define ROWS(type)             \
	struct {               \
		type *at;      \
		uint32_t used; \
		uint32_t room; \
	}

struct tally {
	enum tally_mode mode;
	struct tally_budget *budget;
	uint64_t bytes;
	uint64_t count, weight_ns;
	ROWS(struct stack *) stacks;
	ROWS(struct thread *) threads;
	ROWS(struct sample_row) samples;
	struct hash_index by_stack, by_thread, by_sample;
};

static bool has_room(const struct tally *t, uint64_t bytes)
{
	return t->bytes + bytes <= t->budget->most / 2 &&
	       t->budget->used + bytes <= t->budget->most;
}

static void take_room(struct tally *t, uint64_t bytes)
{
	t->bytes += bytes;
	t->budget->used += bytes;
}

static int grow(struct tally *t, void **at, uint32_t *room, size_t each)
{
	uint32_t more = *room ? *room * 2 : 64;
	void *grown;

	if (!has_room(t, (more - *room) * each))
		return -ENOSPC;
	grown = realloc(*at, more * each);
	if (!grown)
		return -ENOMEM;
	take_room(t, (more - *room) * each);
	*at = grown;
	*room = more;
	return 0;
}

#define MAKE_ROOM(t, rows)               \
	((t)->rows.used < (t)->rows.room \
		 ? 0                     \
		 : grow((t), (void **)&(t)->rows.at, &(t)->rows.room, sizeof(*(t)->rows.at)))

struct tally *tally_new(enum tally_mode mode, struct tally_budget *budget)
{
	struct tally *t = calloc(1, sizeof(*t));

	if (t) {
		t->mode = mode;
		t->budget = budget;
	}
	return t;
}

void tally_free(struct tally *t)
{
	if (!t)
		return;
	t->budget->used -= t->bytes;
	for (uint32_t i = 0; i < t->stacks.used; i++)
		stack_unref(t->stacks.at[i]);
	for (uint32_t i = 0; i < t->threads.used; i++)
		thread_unref(t->threads.at[i]);
	hash_index_fini(&t->by_stack);
	hash_index_fini(&t->by_thread);
	hash_index_fini(&t->by_sample);
	free(t->stacks.at);
	free(t->threads.at);
	free(t->samples.at);
	free(t);
}

static int find_stack(struct tally *t, struct stack *stack, uint32_t *index)
{
	struct hash_probe probe = hash_index_find(&t->by_stack, stack->hash);
	int err;

	while (hash_probe_next(&probe, index))
		if (t->stacks.at[*index] == stack)
			return 0;
	err = MAKE_ROOM(t, stacks);
	if (!err && !has_room(t, stack_bytes(stack)))
		err = -ENOSPC;
	if (!err)
		err = hash_index_add(&t->by_stack, stack->hash, t->stacks.used);
	if (err)
		return err;
	take_room(t, stack_bytes(stack));
	*index = t->stacks.used;
	t->stacks.at[t->stacks.used++] = stack_ref(stack);
	return 0;
}

static int find_thread(struct tally *t, struct thread *thread, uint32_t *index)
{
	struct hash_probe probe = hash_index_find(&t->by_thread, thread->hash);
	int err;

	while (hash_probe_next(&probe, index))
		if (t->threads.at[*index] == thread)
			return 0;
	err = MAKE_ROOM(t, threads);
	if (!err)
		err = hash_index_add(&t->by_thread, thread->hash, t->threads.used);
	if (err)
		return err;
	*index = t->threads.used;
	t->threads.at[t->threads.used++] = thread_ref(thread);
	return 0;
}

/* The row that sums up @stack on @thread, or a new one. */
static int find_sample(struct tally *t, uint32_t stack, uint32_t thread, uint32_t *index)
{
	uint64_t both[] = { stack, thread };
	uint64_t hash = XXH3_64bits(both, sizeof(both));
	struct hash_probe probe = hash_index_find(&t->by_sample, hash);
	int err;

	while (t->mode == TALLY_SUMS && hash_probe_next(&probe, index))
		if (t->samples.at[*index].stack == stack && t->samples.at[*index].thread == thread)
			return 0;
	err = MAKE_ROOM(t, samples);
	if (!err && t->mode == TALLY_SUMS)
		err = hash_index_add(&t->by_sample, hash, t->samples.used);
	if (err)
		return err;
	*index = t->samples.used++;
	t->samples.at[*index] = (struct sample_row){ .stack = stack, .thread = thread };
	return 0;
}

int tally_add(struct tally *t, const struct tally_sample *s)
{
	uint32_t stack, thread, row;
	int err = find_stack(t, s->stack, &stack);

	if (!err)
		err = find_thread(t, s->thread, &thread);
	if (!err)
		err = find_sample(t, stack, thread, &row);
	if (err)
		return err;
	t->samples.at[row].weight_ns += s->weight_ns;
	t->samples.at[row].count++;
	if (t->mode == TALLY_ORDER)
		t->samples.at[row].time_ns = s->time_ns;
	t->count++;
	t->weight_ns += s->weight_ns;
	return 0;
}

uint64_t tally_count(const struct tally *t)
{
	return t->count;
}

uint64_t tally_weight_ns(const struct tally *t)
{
	return t->weight_ns;
}

uint64_t tally_bytes(const struct tally *t)
{
	return t->bytes;
}

void tally_each_process(const struct tally *t, void (*each)(struct process *p, void *ctx),
			void *ctx)
{
	for (uint32_t i = 0; i < t->threads.used; i++)
		each(t->threads.at[i]->process, ctx);
}

int tally_fill(const struct tally *t, struct profile *out, int64_t unix_minus_monotonic_ns)
{
	__attribute__((cleanup(filling_cleanup))) struct filling f = { .out = out };
	int err = 0;

	for (uint32_t i = 0; !err && i < t->samples.used; i++) {
		const struct sample_row *row = &t->samples.at[i];
		uint64_t time_ns = row->time_ns ? row->time_ns + unix_minus_monotonic_ns : 0;

		err = filling_add(&f, t->stacks.at[row->stack], t->threads.at[row->thread],
				  row->weight_ns, row->count, time_ns);
	}
	return err;
}
