/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Eight threads allocate, free and take snapshots of one heap map, then of one heap profiler:
 * nothing may be lost, torn or invented. Less than a second; LONG=1: 90.
 *
 * Each thread has chains: it allocates the next link of one, then frees the one before. So at
 * any one moment a chain has one link or two, which follow each other, and a snapshot that is not
 * of one moment shows it. Beside that, of two threads one allocates a block again and again that
 * the other frees, also while it is being born.
 */
#include "base/clock.h"
#include "heap/heap_profiler.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 8
#define CHAINS 8 /* of a thread */
#define LINKS 64 /* pointers of a chain, in turn */
#define CAPACITY 4096
#define LINK_BASE (1ull << 40)
#define SHARED_BASE (1ull << 41)
#define STEPS_A_SNAPSHOT 1000

/* Text and numbers after the fact are printed with it. */
#define check(fact, ...)                                        \
	do {                                                    \
		if (!(fact))                                    \
			fail(__LINE__, #fact, " " __VA_ARGS__); \
	} while (0)

static __attribute__((format(printf, 3, 4))) void fail(int line, const char *fact, const char *text,
						       ...)
{
	va_list args;

	va_start(args, text);
	printf("%d: %s:", line, fact);
	vprintf(text, args);
	printf("\n");
	fflush(stdout);
	abort();
}

struct heap {
	const char *name;
	struct heap_map *map; /* or: */
	struct heap_profiler *profiler;
	struct freed_log *log;
	_Atomic int is_over;
	_Atomic uint64_t snapshots, incomplete;
};

struct worker {
	struct heap *heap;
	int number;
	pthread_t thread;
	uint64_t newest[CHAINS];
	uint64_t allocated, freed, died; /* what calls returned */
};

static int allocate(struct heap *h, uint64_t address, uint64_t size)
{
	struct stack_frame frame = { .address = address / LINKS };
	struct heap_allocation a = { .address = address,
				     .size = size,
				     .rate = size % 65536 + 1,
				     .now_ns = monotonic_ns(),
				     .process = size % 2 };
	struct heap_place place;
	int err;

	if (h->profiler)
		return heap_profiler_sample_stack(
			h->profiler, &a,
			stack_table_intern(heap_profiler_stacks(h->profiler), &frame, 1, 0));
	err = heap_map_reserve(h->map, a.process, address, a.now_ns, &place);
	return err ? err : heap_map_publish(h->map, &place, size, a.rate, address / LINKS);
}

static int release(struct heap *h, uint64_t address, uint64_t size)
{
	if (h->profiler)
		return heap_profiler_freed(h->profiler, size % 2, address, monotonic_ns());
	return heap_map_remove(h->map, size % 2, address, monotonic_ns());
}

static uint64_t link_address(int chain, uint64_t link)
{
	return LINK_BASE + ((uint64_t)chain * LINKS + link % LINKS) * 16;
}

/* What a snapshot has of a chain. */
struct seen {
	uint64_t first, last, count;
};

static void look_at(struct seen *seen, const struct heap_sample *s)
{
	uint64_t chain = (s->address - LINK_BASE) / 16 / LINKS;
	struct seen *c = &seen[chain];

	check(s->rate == s->size % 65536 + 1 && s->process == s->size % 2, "torn");
	if (s->address >= SHARED_BASE)
		return;
	check(s->address >= LINK_BASE && chain < THREADS * CHAINS, "invented: %" PRIx64,
	      s->address);
	check(s->address == link_address(chain, s->size), "torn: link %" PRIu64, s->size);
	c->first = !c->count || s->size < c->first ? s->size : c->first;
	c->last = s->size > c->last ? s->size : c->last;
	c->count++;
}

/* False: more was freed meanwhile than the log holds, and it says so. */
static bool take_snapshot(struct heap *h, struct seen *seen)
{
	struct buffer why OWNS(buffer) = { 0 };
	struct heap_snapshot snapshot OWNS(heap_snapshot) = { 0 };
	int err = h->profiler ? heap_profiler_snapshot(h->profiler, monotonic_ns(), &snapshot, &why)
			      : heap_snapshot_take(h->map, monotonic_ns(), &snapshot);

	check(!err, "%d", err);
	for (uint64_t i = 0; i < snapshot.live_samples; i++)
		look_at(seen, &snapshot.samples[i]);
	check(snapshot.live_samples <= snapshot.total_samples);
	return !snapshot.missed && !snapshot.unborn;
}

static void check_snapshot(struct heap *h)
{
	struct seen seen[THREADS * CHAINS] = { 0 };
	bool is_complete = take_snapshot(h, seen);

	atomic_fetch_add(is_complete ? &h->snapshots : &h->incomplete, 1);
	for (int i = 0; i < THREADS * CHAINS; i++) {
		check(seen[i].count <= 2, "chain %d: %" PRIu64 " links", i, seen[i].count);
		check(!is_complete || seen[i].count, "chain %d is lost", i);
		check(seen[i].last - seen[i].first + 1 == seen[i].count || !is_complete,
		      "chain %d: links %" PRIu64 " to %" PRIu64, i, seen[i].first, seen[i].last);
	}
}

static void go_on(struct worker *w, int chain)
{
	uint64_t link = w->newest[chain]++;
	int number = w->number * CHAINS + chain, err;

	err = allocate(w->heap, link_address(number, link + 1), link + 1);
	check(!err, "%d", err);
	err = release(w->heap, link_address(number, link), link);
	check(!err, "%d", err);
	err = release(w->heap, link_address(number, link), link);
	check(err == -ENOENT, "%d", err);
	w->allocated++;
	w->freed++;
}

/* Even threads allocate what the next one frees. */
static void contest(struct worker *w)
{
	uint64_t address = SHARED_BASE + w->number / 2 * 16;
	int err;

	if (w->number % 2) {
		err = release(w->heap, address, 2);
		check(!err || err == -ENOENT || err == -ECANCELED || err == -ESTALE, "%d", err);
		w->freed += !err;
	} else {
		err = allocate(w->heap, address, 2);
		check(!err || err == -ECANCELED, "%d", err);
		w->allocated += !err;
		w->died += err == -ECANCELED;
	}
}

static void *work(void *arg)
{
	struct worker *w = arg;

	for (uint64_t step = w->number * 100; !atomic_load(&w->heap->is_over); step++) {
		go_on(w, step % CHAINS);
		contest(w);
		if (step % STEPS_A_SNAPSHOT == 0)
			check_snapshot(w->heap);
		if (w->heap->profiler && step % STEPS_A_SNAPSHOT == 1)
			check(!heap_profiler_maintain(w->heap->profiler));
	}
	return NULL;
}

static struct heap_map_counts counts_of(struct heap *h)
{
	struct heap_statistics s;
	struct heap_map_counts c;

	if (h->map)
		return heap_map_counts(h->map);
	s = heap_profiler_statistics(h->profiler);
	c = (struct heap_map_counts){ 0 };
	c.of[HEAP_MAP_SAMPLES] = s.total_samples;
	c.of[HEAP_MAP_INSERTIONS] = s.heap_map_insertions;
	c.of[HEAP_MAP_FREES] = s.total_frees_tracked;
	c.of[HEAP_MAP_MISSED_FREES] = s.missed_frees;
	c.of[HEAP_MAP_DEATHS_DURING_BIRTH] = s.death_during_birth;
	return c;
}

/* All have ended: of each chain the last link lives, and every call is accounted for. */
static void check_end(struct heap *h, const struct worker *workers)
{
	struct seen seen[THREADS * CHAINS] = { 0 };
	struct heap_map_counts c = counts_of(h);
	uint64_t allocated = 0, freed = 0, died = 0;

	check(take_snapshot(h, seen));
	for (int t = 0; t < THREADS; t++) {
		for (int i = 0; i < CHAINS; i++) {
			check(seen[t * CHAINS + i].count == 1);
			check(seen[t * CHAINS + i].last == workers[t].newest[i]);
		}
		allocated += workers[t].allocated;
		freed += workers[t].freed;
		died += workers[t].died;
	}
	check(c.of[HEAP_MAP_INSERTIONS] == allocated);
	check(c.of[HEAP_MAP_FREES] == freed);
	check(c.of[HEAP_MAP_DEATHS_DURING_BIRTH] == died);
	check(c.of[HEAP_MAP_SAMPLES] == heap_map_live(&c) + heap_map_freed(&c) + heap_map_lost(&c));
	check(h->snapshots > 0, "no snapshot was complete");
	printf("%s: %" PRIu64 " allocations, %" PRIu64 " died during their birth, %" PRIu64
	       " unseen frees; %" PRIu64 " snapshots, %" PRIu64 " incomplete\n",
	       h->name, allocated, died, c.of[HEAP_MAP_MISSED_FREES], h->snapshots, h->incomplete);
}

static void begin(struct heap *h, struct worker *workers)
{
	for (int t = 0; t < THREADS; t++) {
		struct worker *w = &workers[t];

		*w = (struct worker){ .heap = h, .number = t };
		for (int i = 0; i < CHAINS; i++, w->allocated++) {
			w->newest[i] = 1;
			check(!allocate(h, link_address(t * CHAINS + i, 1), 1));
		}
	}
	for (int t = 0; t < THREADS; t++)
		check(!pthread_create(&workers[t].thread, NULL, work, &workers[t]));
}

static void stress(struct heap *h, double seconds)
{
	struct timespec time = { seconds, (seconds - (int)seconds) * 1e9 };
	struct worker workers[THREADS];

	begin(h, workers);
	nanosleep(&time, NULL);
	atomic_store(&h->is_over, 1);
	for (int t = 0; t < THREADS; t++)
		pthread_join(workers[t].thread, NULL);
	check_end(h, workers);
}

static void stress_map(double seconds)
{
	OWNS(freed_log) struct freed_log *log = freed_log_new(FREED_LOG_CAPACITY);
	OWNS(heap_map) struct heap_map *map = heap_map_new(CAPACITY, log);
	struct heap h = { .name = "map", .map = map };

	stress(&h, seconds);
}

static void stress_profiler(double seconds)
{
	struct buffer why OWNS(buffer) = { 0 };
	OWNS(heap_profiler) struct heap_profiler *p = heap_profiler_new();
	struct heap h = { .name = "profiler", .profiler = p };

	check(!heap_profiler_init(p, &(struct heap_settings){ .sampling_rate = 65536 }, &why));
	check(!heap_profiler_start(p, &why));
	stress(&h, seconds);
}

int main(void)
{
	double seconds = getenv("LONG") ? 60 : 0.5;

	stress_map(seconds);
	stress_profiler(seconds / 2);
	return 0;
}
