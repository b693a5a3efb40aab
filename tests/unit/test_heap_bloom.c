/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/bloom.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

/* As allocators give them: 16 bytes apart, of a few processes. */
static uint64_t pointer_of(uint32_t i)
{
	return 0x7f0000000000ull + 16ull * i;
}

static void add(struct bloom *b, uint32_t i)
{
	bloom_added(b, bloom_add(b, i % 3, pointer_of(i)));
}

static bool has(const struct bloom *b, uint32_t i)
{
	return bloom_may_have(b, i % 3, pointer_of(i));
}

static struct row {
	uint32_t entries;
	double theory; /* share of wrong answers */
} rows[] = {
	{ 50000, 0.000945 },
	{ 125000, 0.020749 },
};

static void expect_is_wrong_as_seldom_as_theory_says(struct row *r)
{
	OWNS(bloom) struct bloom *b = bloom_new();
	double ones = BLOOM_BITS * (1 - exp(-4.0 * r->entries / BLOOM_BITS));
	uint32_t asked = 1u << 21; /* 2,000 wrong answers at 50,000 entries */
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < r->entries; i++)
		add(b, i);
	for (uint32_t i = 0; i < r->entries; i++)
		cr_assert(has(b, i), "%u", i);
	for (uint32_t i = 0; i < asked; i++)
		wrong += has(b, r->entries + i);
	cr_expect(lt(dbl, fabs((double)wrong / asked / r->theory - 1), 0.1), "%u wrong", wrong);
	cr_expect(lt(dbl, fabs((double)bloom_stats(b).ones / ones - 1), 0.005));
}

Test(heap_bloom, is_wrong_as_seldom_as_theory_says)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		expect_is_wrong_as_seldom_as_theory_says(&rows[i]);
}

Test(heap_bloom, tells_processes_apart)
{
	OWNS(bloom) struct bloom *b = bloom_new();

	bloom_added(b, bloom_add(b, 1, 4096));
	cr_expect(bloom_may_have(b, 1, 4096));
	cr_expect(not(bloom_may_have(b, 2, 4096)));
	cr_expect(not(bloom_may_have(b, 1, 4112)));
	cr_expect(eq(u64, bloom_stats(b).ones, 4));
}

static void rebuild_with(struct bloom *b, uint32_t entries)
{
	cr_assert(eq(int, bloom_rebuild_begin(b), 0));
	for (uint32_t i = 0; i < entries; i++)
		bloom_rebuild_keep(b, i % 3, pointer_of(i));
	bloom_rebuild_end(b);
}

Test(heap_bloom, a_rebuild_is_wanted_above_half_and_forgets_what_is_not_kept)
{
	OWNS(bloom) struct bloom *b = bloom_new();
	uint32_t entries = 0;
	uint32_t wrong = 0;

	for (; !bloom_wants_rebuild(b); entries++)
		add(b, entries);
	cr_expect(eq(u64, bloom_stats(b).ones / 4, BLOOM_BITS / 8));
	rebuild_with(b, 1000);
	for (uint32_t i = 0; i < entries; i++)
		wrong += i < 1000 ? !has(b, i) : has(b, i);
	cr_expect(eq(u32, wrong, 0));
	cr_expect(le(u64, bloom_stats(b).ones, 4000));
	cr_expect(not(bloom_wants_rebuild(b)));
	cr_expect(eq(u64, bloom_stats(b).rebuilds, 1));
	for (int i = 0; i < 2; i++) {
		rebuild_with(b, 0);
		cr_expect(eq(u64, bloom_stats(b).ones, 0));
	}
}

/* Else each addition to a filter that is full of what lives would want another one. */
Test(heap_bloom, where_most_lives_a_rebuild_is_wanted_after_as_many_additions)
{
	OWNS(bloom) struct bloom *b = bloom_new();
	uint32_t entries = 0;
	uint32_t more = 0;

	for (; !bloom_wants_rebuild(b); entries++)
		add(b, entries);
	rebuild_with(b, entries);
	for (; !bloom_wants_rebuild(b); more++)
		add(b, entries + more);
	cr_expect(eq(u32, more, entries));
}

Test(heap_bloom, a_second_rebuild_at_the_same_time_is_refused_and_counted)
{
	OWNS(bloom) struct bloom *b = bloom_new();

	cr_assert(eq(int, bloom_rebuild_begin(b), 0));
	cr_expect(eq(int, bloom_rebuild_begin(b), -EBUSY));
	cr_expect(eq(int, bloom_rebuild_begin(b), -EBUSY));
	bloom_rebuild_end(b);
	cr_expect(eq(u64, bloom_stats(b).refused, 2));
	cr_expect(eq(u64, bloom_stats(b).rebuilds, 1));
	cr_expect(eq(int, bloom_rebuild_begin(b), 0));
	bloom_rebuild_end(b);
}

Test(heap_bloom, what_is_added_during_a_rebuild_is_there_in_it_and_after_it)
{
	OWNS(bloom) struct bloom *b = bloom_new();

	for (uint32_t i = 0; i < 3; i++) {
		cr_assert(eq(int, bloom_rebuild_begin(b), 0));
		add(b, i);
		cr_expect(has(b, i));
		bloom_rebuild_end(b);
		cr_expect(has(b, i));
	}
}

struct kept {
	struct bloom *bloom;
	_Atomic uint32_t missed;
	atomic_bool done;
};

static void *ask_for_one(void *arg)
{
	struct kept *k = arg;

	while (!atomic_load(&k->done))
		for (int i = 0; i < 1000; i++)
			if (!has(k->bloom, 1))
				atomic_fetch_add(&k->missed, 1);
	return NULL;
}

/* Who asks may lose its processor, and go on in a filter that was swapped out and cleared. */
Test(heap_bloom, what_is_kept_is_found_through_any_number_of_rebuilds)
{
	OWNS(bloom) struct bloom *b = bloom_new();
	static struct kept k;
	pthread_t threads[2];

	k.bloom = b;
	add(b, 1);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, ask_for_one, &k);
	for (int i = 0; i < 1500; i++) {
		cr_assert(eq(int, bloom_rebuild_begin(b), 0));
		bloom_rebuild_keep(b, 1, pointer_of(1));
		bloom_rebuild_end(b);
	}
	atomic_store(&k.done, true);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	cr_expect(eq(u32, k.missed, 0));
}

/* Entries that live: threads add and publish them, others find them while it is rebuilt. */
#define LIVING 4096
#define ADDERS 4
#define ASKERS 3

struct shared {
	struct bloom *bloom;
	_Atomic uint32_t living[LIVING]; /* plus 1; 0: none */
	_Atomic uint32_t next;
	_Atomic uint32_t missed;
	_Atomic uint32_t running;
	uint32_t rounds;
};

static void *add_entries(void *arg)
{
	struct shared *s = arg;
	struct bloom_pass pass;
	uint32_t i;

	while ((i = atomic_fetch_add(&s->next, 1)) < s->rounds) {
		pass = bloom_add(s->bloom, i % 3, pointer_of(i));
		if (i % 64 == 0)
			sched_yield(); /* added, and not yet published */
		atomic_store_explicit(&s->living[i % LIVING], i + 1, memory_order_release);
		bloom_added(s->bloom, pass);
	}
	atomic_fetch_sub(&s->running, 1);
	return NULL;
}

static void *ask_for_entries(void *arg)
{
	struct shared *s = arg;
	uint32_t entry;

	for (uint32_t i = 0; atomic_load(&s->running); i += 31) {
		if (i % 64 == 0)
			sched_yield();
		entry = atomic_load_explicit(&s->living[i % LIVING], memory_order_acquire);
		if (entry && !has(s->bloom, entry - 1) &&
		    entry == atomic_load_explicit(&s->living[i % LIVING], memory_order_acquire))
			atomic_fetch_add(&s->missed, 1);
	}
	return NULL;
}

static void rebuild(struct shared *s)
{
	uint32_t entry;

	cr_assert(eq(int, bloom_rebuild_begin(s->bloom), 0));
	for (uint32_t i = 0; i < LIVING; i++) {
		entry = atomic_load_explicit(&s->living[i], memory_order_acquire);
		if (entry)
			bloom_rebuild_keep(s->bloom, (entry - 1) % 3, pointer_of(entry - 1));
	}
	bloom_rebuild_end(s->bloom);
}

Test(heap_bloom, nothing_is_missed_while_threads_add_and_it_is_rebuilt)
{
	OWNS(bloom) struct bloom *b = bloom_new();
	static struct shared s;
	pthread_t threads[ADDERS + ASKERS];
	uint32_t entry;

	s.bloom = b;
	s.rounds = 8000;
	s.running = ADDERS;
	for (int i = 0; i < ADDERS + ASKERS; i++)
		pthread_create(&threads[i], NULL, i < ADDERS ? add_entries : ask_for_entries, &s);
	while (atomic_load(&s.running))
		rebuild(&s);
	for (int i = 0; i < ADDERS + ASKERS; i++)
		pthread_join(threads[i], NULL);
	for (uint32_t i = 0; i < LIVING; i++) {
		entry = atomic_load(&s.living[i]);
		s.missed += !has(b, entry - 1);
	}
	cr_expect(eq(u32, s.missed, 0));
	cr_expect(bloom_stats(b).rebuilds > 0);
}
