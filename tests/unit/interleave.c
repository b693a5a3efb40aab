/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/interleave.h"

#include "base/cleanup.h"

#include <sanitizer/asan_interface.h>
#include <stdbool.h>
#include <string.h>
#include <ucontext.h>

#define STACK_BYTES (256u << 10)
#define STEPS_MOST 1000
#define NOT_SANITIZED __attribute__((noinline, no_sanitize_address))

struct thread {
	ucontext_t start; /* on a stack of its own; from then on jumps do, which cost far less */
	void *here[5];
	char stack[STACK_BYTES] __attribute__((aligned(64)));
	bool has_begun, has_ended, waits;
	uint64_t seen; /* a hash of what it saw */
	uint64_t seen_before_wait;
	int steps_since_wait; /* 0: it has not waited yet */
};

/* What one run has chosen, step by step. */
struct path {
	uint8_t thread[STEPS_MOST];
	int length;
};

struct paths {
	struct path *path;
	size_t count, room;
};

struct states {
	uint64_t *hash; /* 0: free */
	size_t count, room;
};

struct engine {
	const struct interleaving *what;
	struct thread *threads;
	void *scheduler[5];
	struct paths todo;
	struct states known;
	struct interleave_cost cost;
};

/* The engine whose thread is running, and which one; contexts take no arguments of this size. */
static struct engine *engine;
static struct thread *current;

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15;
	return hash ^ hash >> 29;
}

int interleave_is_running(void)
{
	return current != NULL;
}

/*
 * The compiler's own jumps: AddressSanitizer believes that others unwind the stack. Each is in
 * a function of its own, as the compiler wants it.
 */
static NOT_SANITIZED void jump(void **there)
{
	__builtin_longjmp(there, 1);
}

static NOT_SANITIZED void to_scheduler(void)
{
	if (!__builtin_setjmp(current->here))
		jump(engine->scheduler);
}

void interleave_step(void)
{
	if (!current)
		return;
	to_scheduler();
	current->seen = mix(current->seen, 1);
	current->steps_since_wait += current->steps_since_wait > 0;
}

void interleave_saw(uint64_t value)
{
	if (current)
		current->seen = mix(current->seen, value);
}

/* A turn of a loop of one step leaves it where it was. */
void interleave_wait(void)
{
	if (!current)
		return;
	if (current->steps_since_wait == 2)
		current->seen = current->seen_before_wait;
	current->seen_before_wait = current->seen;
	current->steps_since_wait = 1;
	current->waits = true;
}

static void run_thread(void)
{
	engine->what->run(engine->what->arg, current - engine->threads);
	current->has_ended = true;
	to_scheduler();
}

/* Goes on to where it stops before its next step. */
static NOT_SANITIZED void resume(struct engine *e, struct thread *t)
{
	engine = e;
	current = t;
	if (!__builtin_setjmp(e->scheduler)) {
		if (t->has_begun)
			jump(t->here);
		t->has_begun = true;
		setcontext(&t->start);
	}
	current = NULL;
}

/* What was left of a run before this one lies on its stack. */
static void prepare(struct engine *e, struct thread *t)
{
	ASAN_UNPOISON_MEMORY_REGION(t->stack, sizeof(t->stack));
	t->has_begun = t->has_ended = t->waits = false;
	t->seen = t->steps_since_wait = 0;
	getcontext(&t->start);
	t->start.uc_stack.ss_sp = t->stack;
	t->start.uc_stack.ss_size = sizeof(t->stack);
	t->start.uc_link = NULL;
	makecontext(&t->start, run_thread, 0);
	resume(e, t);
}

static void take_step(struct engine *e, int thread)
{
	for (int i = 0; i < e->what->threads; i++)
		e->threads[i].waits &= i == thread;
	resume(e, &e->threads[thread]);
	e->what->stepped(e->what->arg);
}

static uint64_t state_hash(const struct engine *e)
{
	uint64_t hash = e->what->memory(e->what->arg);

	for (int i = 0; i < e->what->threads; i++) {
		const struct thread *t = &e->threads[i];

		hash = mix(hash, t->seen);
		hash = mix(hash, t->has_ended | t->waits << 1);
	}
	return hash ? hash : 1;
}

static void put(struct states *s, uint64_t hash)
{
	size_t at = hash & (s->room - 1);

	while (s->hash[at])
		at = (at + 1) & (s->room - 1);
	s->hash[at] = hash;
}

static void grow(struct states *s)
{
	struct states bigger = { .room = s->room ? s->room * 2 : 4096, .count = s->count };

	bigger.hash = calloc(bigger.room, sizeof(*bigger.hash));
	if (!bigger.hash)
		abort();
	for (size_t i = 0; i < s->room; i++)
		if (s->hash[i])
			put(&bigger, s->hash[i]);
	free(s->hash);
	*s = bigger;
}

static bool is_new(struct states *s, uint64_t hash)
{
	if (s->count * 2 >= s->room)
		grow(s);
	for (size_t at = hash & (s->room - 1); s->hash[at]; at = (at + 1) & (s->room - 1))
		if (s->hash[at] == hash)
			return false;
	put(s, hash);
	s->count++;
	return true;
}

static void push(struct paths *todo, const struct path *to, int thread)
{
	struct path *p;

	if (todo->count == todo->room) {
		todo->room = todo->room ? todo->room * 2 : 64;
		todo->path = reallocarray(todo->path, todo->room, sizeof(*todo->path));
		if (!todo->path)
			abort();
	}
	p = &todo->path[todo->count++];
	memcpy(p->thread, to->thread, to->length);
	p->thread[to->length] = thread;
	p->length = to->length + 1;
}

/* The first thread that may go on, or -1; the others are for later. */
static int choose(struct engine *e, const struct path *so_far)
{
	int first = -1;

	for (int i = 0; i < e->what->threads; i++) {
		if (e->threads[i].has_ended || e->threads[i].waits)
			continue;
		if (first < 0)
			first = i;
		else
			push(&e->todo, so_far, i);
	}
	return first;
}

static bool have_ended(const struct engine *e)
{
	for (int i = 0; i < e->what->threads; i++)
		if (!e->threads[i].has_ended)
			return false;
	return true;
}

/* From the first step along @way, then on until nothing is new. */
static void follow(struct engine *e, struct path *way)
{
	int next;

	e->what->reset(e->what->arg);
	for (int i = 0; i < e->what->threads; i++)
		prepare(e, &e->threads[i]);
	for (int i = 0; i < way->length; i++)
		take_step(e, way->thread[i]);
	while (is_new(&e->known, state_hash(e))) {
		e->cost.states++;
		if (have_ended(e)) {
			e->cost.ends++;
			e->what->ended(e->what->arg);
			return;
		}
		next = choose(e, way);
		if (next < 0 || way->length == STEPS_MOST)
			abort(); /* all wait for each other, or for ever */
		way->thread[way->length++] = next;
		take_step(e, next);
	}
}

struct interleave_cost interleave(const struct interleaving *what)
{
	struct engine e = { .what = what };
	struct path way = { 0 };

	e.threads = calloc(what->threads, sizeof(*e.threads));
	if (!e.threads)
		abort();
	follow(&e, &way);
	while (e.todo.count) {
		way = e.todo.path[--e.todo.count];
		follow(&e, &way);
	}
	free(e.todo.path);
	free(e.known.hash);
	free(e.threads);
	return e.cost;
}
