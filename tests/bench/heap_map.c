/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the heap map does in a second of processor time, beside two tables behind a mutex: one of open addressing
 * without tombstones, and libc's tsearch(3). They take turns.
 *
 *	heap_map [ROUNDS]
 */
#include "base/clock.h"
#include "heap/freed_log.h"
#include "heap/heap_map.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <string.h>

#define CAPACITY HEAP_MAP_CAPACITY
#define BATCH 20000 /* of each operation, in a round */
#define THREADS_MOST 2
#define ROUNDS_MOST 100

/* Different for all numbers, and in no order. */
static uint64_t address_of(uint64_t number)
{
	return ((number + 1) * 0x9e3779b97f4a7c15 & ((1ull << 43) - 1)) << 4;
}

struct table {
	void *state;
	pthread_mutex_t lock;
	void *root;	/* tsearch's */
	uint64_t clock; /* reading one would cost all of them the same */
};

struct kind {
	const char *name;
	void (*make)(struct table *t);
	void (*insert)(struct table *t, uint64_t address);
	int (*find)(struct table *t, uint64_t address);
	void (*delete)(struct table *t, uint64_t address);
	void (*end)(struct table *t);
};

/* --- the heap map --- */

struct ours {
	struct freed_log *log;
	struct heap_map *map;
};

static void ours_make(struct table *t)
{
	struct ours *o = calloc(1, sizeof(*o));

	if (!o || !(o->log = freed_log_new(FREED_LOG_CAPACITY)) ||
	    !(o->map = heap_map_new(CAPACITY, o->log)))
		abort();
	t->state = o;
}

static void ours_insert(struct table *t, uint64_t address)
{
	struct heap_map *m = ((struct ours *)t->state)->map;
	struct heap_place place;

	if (!heap_map_reserve(m, 1, address, 0, &place))
		heap_map_publish(m, &place, 100, 65536, 1);
}

static int ours_find(struct table *t, uint64_t address)
{
	struct heap_sample s;

	return !heap_map_find(((struct ours *)t->state)->map, 1, address, &s);
}

static void ours_delete(struct table *t, uint64_t address)
{
	heap_map_remove(((struct ours *)t->state)->map, 1, address, 0);
}

static void ours_end(struct table *t)
{
	struct ours *o = t->state;

	heap_map_free(o->map);
	freed_log_free(o->log);
	free(o);
}

/* --- open addressing behind a mutex: linear, and what follows moves up when one goes --- */

struct plain_entry {
	uint64_t key, size, birth;
	uint32_t stack, rate;
};

static uint32_t plain_home(uint64_t address)
{
	uint64_t h = address >> 4;

	h = (h ^ h >> 32) * 0xd6e8feb86659fd93;
	return (h ^ h >> 32) & (CAPACITY - 1);
}

static void plain_make(struct table *t)
{
	t->state = calloc(CAPACITY, sizeof(struct plain_entry));
	if (!t->state)
		abort();
	pthread_mutex_init(&t->lock, NULL);
}

static uint32_t plain_place(const struct plain_entry *e, uint64_t address)
{
	uint32_t at = plain_home(address);

	while (e[at].key && e[at].key != address)
		at = (at + 1) & (CAPACITY - 1);
	return at;
}

static void plain_insert(struct table *t, uint64_t address)
{
	struct plain_entry *e = t->state;

	pthread_mutex_lock(&t->lock);
	e[plain_place(e, address)] = (struct plain_entry){ address, 100, ++t->clock, 1, 65536 };
	pthread_mutex_unlock(&t->lock);
}

static int plain_find(struct table *t, uint64_t address)
{
	struct plain_entry *e = t->state, found;

	pthread_mutex_lock(&t->lock);
	found = e[plain_place(e, address)];
	pthread_mutex_unlock(&t->lock);
	return found.key == address;
}

static void plain_delete(struct table *t, uint64_t address)
{
	struct plain_entry *e = t->state;
	uint32_t hole, at;

	pthread_mutex_lock(&t->lock);
	hole = at = plain_place(e, address);
	while (e[at = (at + 1) & (CAPACITY - 1)].key) {
		uint32_t way = (at - plain_home(e[at].key)) & (CAPACITY - 1);

		if (way >= ((at - hole) & (CAPACITY - 1))) {
			e[hole] = e[at];
			hole = at;
		}
	}
	e[hole].key = 0;
	pthread_mutex_unlock(&t->lock);
}

static void plain_end(struct table *t)
{
	free(t->state);
	pthread_mutex_destroy(&t->lock);
}

/* --- tsearch behind a mutex --- */

static int by_key(const void *a, const void *b)
{
	const struct plain_entry *left = a, *right = b;

	return (left->key > right->key) - (left->key < right->key);
}

static void tree_make(struct table *t)
{
	pthread_mutex_init(&t->lock, NULL);
}

static void tree_insert(struct table *t, uint64_t address)
{
	struct plain_entry *e = calloc(1, sizeof(*e));

	if (!e)
		abort();
	*e = (struct plain_entry){ address, 100, 0, 1, 65536 };
	pthread_mutex_lock(&t->lock);
	e->birth = ++t->clock;
	if (!tsearch(e, &t->root, by_key))
		abort();
	pthread_mutex_unlock(&t->lock);
}

static int tree_find(struct table *t, uint64_t address)
{
	struct plain_entry key = { .key = address };
	void *found;

	pthread_mutex_lock(&t->lock);
	found = tfind(&key, &t->root, by_key);
	pthread_mutex_unlock(&t->lock);
	return found != NULL;
}

static void tree_delete(struct table *t, uint64_t address)
{
	struct plain_entry key = { .key = address }, *entry = NULL, **found;

	pthread_mutex_lock(&t->lock);
	found = tfind(&key, &t->root, by_key);
	if (found) {
		entry = *found;
		tdelete(&key, &t->root, by_key);
	}
	pthread_mutex_unlock(&t->lock);
	free(entry);
}

static void tree_end(struct table *t)
{
	tdestroy(t->root, free);
	pthread_mutex_destroy(&t->lock);
}

static const struct kind kinds[] = {
	{ "heap map", ours_make, ours_insert, ours_find, ours_delete, ours_end },
	{ "plain table, mutex", plain_make, plain_insert, plain_find, plain_delete, plain_end },
	{ "tsearch, mutex", tree_make, tree_insert, tree_find, tree_delete, tree_end },
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

enum { INSERT, LOOK_UP, DELETE, OPERATIONS };

struct run {
	const struct kind *kind;
	struct table table;
	uint64_t lives; /* numbers below it, from @oldest on */
	uint64_t oldest;
	double mops[OPERATIONS][ROUNDS_MOST]; /* millions of them a second of processor time */
};

struct share {
	struct run *run;
	int operation;
	uint64_t from, missed;
};

static void *do_share(void *arg)
{
	struct share *s = arg;
	struct table *t = &s->run->table;

	for (uint64_t i = s->from; i < s->from + BATCH; i++) {
		if (s->operation == INSERT)
			s->run->kind->insert(t, address_of(i));
		else if (s->operation == LOOK_UP)
			s->missed += !s->run->kind->find(t, address_of(i));
		else
			s->run->kind->delete (t, address_of(i));
	}
	return NULL;
}

/* All threads at once, each on a batch of its own. */
static double do_batches(struct run *r, int operation, int threads, uint64_t from)
{
	struct share shares[THREADS_MOST];
	pthread_t ids[THREADS_MOST];
	uint64_t begin = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	for (int i = 0; i < threads; i++)
		shares[i] = (struct share){ r, operation, from + i * BATCH, 0 };
	for (int i = 1; i < threads; i++)
		if (pthread_create(&ids[i], NULL, do_share, &shares[i]))
			abort();
	do_share(&shares[0]);
	for (int i = 1; i < threads; i++)
		pthread_join(ids[i], NULL);
	return threads * BATCH * 1e3 / (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin);
}

/* The load stays: so many of the oldest go as have come. */
static void do_round(struct run *r, int threads, int round)
{
	r->mops[INSERT][round] = do_batches(r, INSERT, threads, r->lives);
	r->lives += threads * BATCH;
	r->mops[LOOK_UP][round] = do_batches(r, LOOK_UP, threads, (r->oldest + r->lives) / 2);
	r->mops[DELETE][round] = do_batches(r, DELETE, threads, r->oldest);
	r->oldest += threads * BATCH;
}

static int by_value(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static void print_run(struct run *r, int rounds)
{
	printf("    %-20s", r->kind->name);
	for (int o = 0; o < OPERATIONS; o++) {
		qsort(r->mops[o], rounds, sizeof(double), by_value);
		printf(" %7.2f (%.2f to %.2f)", r->mops[o][rounds / 2], r->mops[o][0],
		       r->mops[o][rounds - 1]);
	}
	printf("\n");
}

struct setting {
	int percent, threads;
	uint64_t churn; /* so many entries have come and gone before */
};

static void fill(struct run *r, const struct setting *s)
{
	r->kind->make(&r->table);
	while (r->lives < (uint64_t)CAPACITY * s->percent / 100)
		r->kind->insert(&r->table, address_of(r->lives++));
	for (uint64_t i = 0; i < s->churn; i++) {
		r->kind->delete (&r->table, address_of(r->oldest++));
		r->kind->insert(&r->table, address_of(r->lives++));
	}
}

static void measure(const struct setting *s, int rounds)
{
	struct run runs[KINDS] = { 0 };

	for (size_t i = 0; i < KINDS; i++) {
		runs[i].kind = &kinds[i];
		fill(&runs[i], s);
	}
	for (int round = 0; round < rounds; round++)
		for (size_t i = 0; i < KINDS; i++)
			do_round(&runs[i], s->threads, round);
	printf("  %d %% load, %d thread%s%s\n", s->percent, s->threads, s->threads > 1 ? "s" : "",
	       s->churn ? ", after as many came and went as it holds" : "");
	for (size_t i = 0; i < KINDS; i++) {
		print_run(&runs[i], rounds);
		runs[i].kind->end(&runs[i].table);
	}
}

int main(int argc, char **argv)
{
	static const struct setting settings[] = {
		{ 10, 1, 0 }, { 50, 1, 0 }, { 90, 1, 0 }, { 90, 1, CAPACITY }, { 50, 2, 0 },
	};
	int rounds = argc > 1 ? atoi(argv[1]) : 5;

	if (rounds < 1 || rounds > ROUNDS_MOST)
		return 2;
	printf("    %-20s %24s %24s %24s\n", "", "insert", "find", "free");
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		measure(&settings[i], rounds);
	return 0;
}
