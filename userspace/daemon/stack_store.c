/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/stack_store.h"

#include "daemon/naming.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <xxhash.h>

#define FIRST_BUCKETS 1024
#define THREAD_BUCKETS 1024
#define MALLOC_BYTES 16 /* that an allocation takes beside what was asked for */

struct stack_store {
	struct stack **stacks;
	size_t bucket_count; /* of @stacks, a power of two */
	size_t stack_count;
	struct thread *threads[THREAD_BUCKETS];
	uint64_t seed; /* stacks come from targets */
};

struct stack_store *stack_store_new(void)
{
	OWNS(stack_store) struct stack_store *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->bucket_count = FIRST_BUCKETS;
	s->stacks = calloc(s->bucket_count, sizeof(struct stack *));
	if (getrandom(&s->seed, sizeof(s->seed), GRND_NONBLOCK) != sizeof(s->seed))
		s->seed = (uintptr_t)s; /* no worse than none */
	return s->stacks ? TAKE(s) : NULL;
}

void stack_store_free(struct stack_store *s)
{
	if (!s)
		return;
	free(s->stacks);
	free(s);
}

static struct stack **bucket_of(struct stack_store *s, uint64_t hash)
{
	return &s->stacks[hash & (s->bucket_count - 1)];
}

/* Without memory for more buckets, chains are longer. */
static void grow(struct stack_store *s)
{
	size_t count = s->bucket_count, more = count * 2;
	struct stack **old = s->stacks, **buckets = calloc(more, sizeof(struct stack *));

	if (!buckets)
		return;
	s->stacks = buckets;
	s->bucket_count = more;
	for (size_t i = 0; i < count; i++)
		for (struct stack *stack = old[i], *next; stack; stack = next) {
			next = stack->next;
			stack->next = *bucket_of(s, stack->hash);
			*bucket_of(s, stack->hash) = stack;
		}
	free(old);
}

/* While the process lives, what no record named can still be read. */
static void learn_names(const struct stack *stack)
{
	struct code_table *codes = stack->process->codes;

	for (uint32_t i = 0; codes && i < stack->frame_count; i++)
		(void)code_table_find(codes, stack->frames[i].code, stack->frames[i].key);
}

static struct stack *add_stack(struct stack_store *s, struct process *p,
			       const struct sp_sample *sample, uint64_t hash)
{
	size_t frames = sample->frame_count * sizeof(sample->frames[0]);
	struct stack *stack = malloc(sizeof(*stack) + frames);

	if (!stack)
		return NULL;
	*stack = (struct stack){ .hash = hash,
				 .store = s,
				 .process = process_ref(p),
				 .refs = 1,
				 .end = sample->end,
				 .frame_count = sample->frame_count };
	memcpy(stack->frames, sample->frames, frames);
	if (++s->stack_count > s->bucket_count)
		grow(s);
	stack->next = *bucket_of(s, hash);
	*bucket_of(s, hash) = stack;
	learn_names(stack);
	return stack;
}

static bool is_stack(const struct stack *stack, const struct process *p,
		     const struct sp_sample *sample, uint64_t hash)
{
	return stack->hash == hash && stack->process == p && stack->end == sample->end &&
	       stack->frame_count == sample->frame_count &&
	       !memcmp(stack->frames, sample->frames,
		       sample->frame_count * sizeof(sample->frames[0]));
}

struct stack *stack_store_stack(struct stack_store *s, struct process *p,
				const struct sp_sample *sample)
{
	uint64_t hash = XXH3_64bits_withSeed(sample->frames,
					     sample->frame_count * sizeof(sample->frames[0]),
					     s->seed + (uintptr_t)p + sample->end);

	for (struct stack *stack = *bucket_of(s, hash); stack; stack = stack->next)
		if (is_stack(stack, p, sample, hash))
			return stack_ref(stack);
	return add_stack(s, p, sample, hash);
}

struct stack *stack_ref(struct stack *stack)
{
	stack->refs++;
	return stack;
}

void stack_unref(struct stack *stack)
{
	struct stack **at;

	if (!stack || --stack->refs)
		return;
	at = bucket_of(stack->store, stack->hash);
	while (*at != stack)
		at = &(*at)->next;
	*at = stack->next;
	stack->store->stack_count--;
	process_unref(stack->process);
	free(stack);
}

static struct thread **thread_bucket(struct stack_store *s, uint64_t hash)
{
	return &s->threads[hash & (THREAD_BUCKETS - 1)];
}

struct thread *stack_store_thread(struct stack_store *s, struct process *p,
				  const struct sp_sample *sample)
{
	uint64_t hash = XXH3_64bits_withSeed(&sample->head.tid, sizeof(sample->head.tid),
					     s->seed + (uintptr_t)p);
	struct thread *t = *thread_bucket(s, hash);

	while (t && (t->hash != hash || t->process != p || t->tid != sample->head.tid))
		t = t->next;
	if (t) {
		t->refs++;
	} else {
		t = calloc(1, sizeof(*t));
		if (!t)
			return NULL;
		*t = (struct thread){ .next = *thread_bucket(s, hash),
				      .hash = hash,
				      .store = s,
				      .process = process_ref(p),
				      .refs = 1,
				      .tid = sample->head.tid };
		*thread_bucket(s, hash) = t;
	}
	if (sample->ident && sample->ident != t->ident)
		naming_begin(t, sample->ident, sample->head.time_ns);
	memcpy(t->comm, sample->comm, sizeof(t->comm));
	if (sample->head.time_ns >= t->name_due_ns)
		naming_learn(t);
	return t;
}

struct thread *thread_ref(struct thread *t)
{
	t->refs++;
	return t;
}

void thread_unref(struct thread *t)
{
	struct thread **at;

	if (!t || --t->refs)
		return;
	at = thread_bucket(t->store, t->hash);
	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	process_unref(t->process);
	free(t->name);
	free(t);
}

size_t stack_bytes(const struct stack *stack)
{
	return sizeof(*stack) + stack->frame_count * sizeof(stack->frames[0]) + MALLOC_BYTES;
}

size_t thread_bytes(const struct thread *t)
{
	return sizeof(*t) + (t->name ? strlen(t->name) + MALLOC_BYTES : 0);
}

size_t stack_store_count(const struct stack_store *s)
{
	return s->stack_count;
}

int sampled_store(struct sampled *x)
{
	if (!x->stack)
		x->stack = stack_store_stack(x->store, x->process, x->record);
	if (!x->thread)
		x->thread = stack_store_thread(x->store, x->process, x->record);
	return x->stack && x->thread ? 0 : -ENOMEM;
}

void sampled_fini(struct sampled *x)
{
	stack_unref(x->stack);
	thread_unref(x->thread);
}
