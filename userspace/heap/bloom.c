/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/bloom.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>

#define WORDS (BLOOM_BITS / 64)

/*
 * Generation 2n: filter n & 1 alone takes additions. Generation 2n + 1: a
 * rebuild fills the other one, and both do. One word has the generation and who
 * is adding, by the lowest bit of theirs, so that whoever adds is counted by
 * the same step that tells them where to.
 */
#define ADDERS_BITS 20
#define ADDERS_MASK ((1ull << ADDERS_BITS) - 1)
#define ONE_GENERATION (1ull << 2 * ADDERS_BITS)

struct filter {
	_Atomic uint64_t words[WORDS];
	_Atomic uint64_t ones;
	_Atomic uint64_t entries; /* additions to it, also of what is in it */
};

struct bloom {
	_Atomic uint64_t state;
	atomic_bool rebuilding;
	_Atomic uint64_t kept; /* entries of the filter that answers when it began to */
	_Atomic uint64_t rebuilds;
	_Atomic uint64_t refused;

	/* Every free asks, few add: what they read is not written by who adds. */
	_Alignas(64) _Atomic uint32_t swaps; /* filter swaps & 1 answers */
	_Alignas(64) struct filter filters[2];
};

struct places {
	uint32_t bit[BLOOM_HASHES];
};

struct bloom *bloom_new(void)
{
	struct bloom *b = aligned_alloc(64, sizeof(*b));

	if (b)
		__builtin_memset(b, 0, sizeof(*b));
	return b;
}

void bloom_free(struct bloom *b)
{
	free(b);
}

/* The finalizer of MurmurHash3 (public domain, A. Appleby): each bit depends on each bit. */
static uint64_t mix(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdull;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ull;
	return x ^ x >> 33;
}

/* Four times 20 bits from the top of two hashes. */
static struct places places_of(uint32_t process, uint64_t pointer)
{
	uint64_t first = mix(pointer ^ mix(process + 0x9e3779b97f4a7c15ull));
	uint64_t second = mix(first + 0x9e3779b97f4a7c15ull);

	return (struct places){ { first >> 44, first >> 24 & (BLOOM_BITS - 1), second >> 44,
				  second >> 24 & (BLOOM_BITS - 1) } };
}

static void filter_set(struct filter *f, const struct places *at)
{
	uint64_t bit, was;

	for (int i = 0; i < BLOOM_HASHES; i++) {
		bit = 1ull << (at->bit[i] & 63);
		was = atomic_fetch_or_explicit(&f->words[at->bit[i] / 64], bit,
					       memory_order_release);
		if (!(was & bit))
			atomic_fetch_add_explicit(&f->ones, 1, memory_order_relaxed);
	}
	atomic_fetch_add_explicit(&f->entries, 1, memory_order_relaxed);
}

/* Acquire: who reads a zero that a rebuild put there also reads that the filters were swapped. */
static bool filter_has(const struct filter *f, const struct places *at)
{
	uint64_t word;

	for (int i = 0; i < BLOOM_HASHES; i++) {
		word = atomic_load_explicit(&f->words[at->bit[i] / 64], memory_order_acquire);
		if (!(word >> (at->bit[i] & 63) & 1))
			return false;
	}
	return true;
}

static void filter_clear(struct filter *f)
{
	for (uint32_t i = 0; i < WORDS; i++)
		atomic_store_explicit(&f->words[i], 0, memory_order_release);
	atomic_store_explicit(&f->ones, 0, memory_order_relaxed);
	atomic_store_explicit(&f->entries, 0, memory_order_relaxed);
}

static uint64_t adder_of(unsigned int side)
{
	return 1ull << side * ADDERS_BITS;
}

struct bloom_pass bloom_add(struct bloom *b, uint32_t process, uint64_t pointer)
{
	struct places at = places_of(process, pointer);
	uint64_t state = atomic_load_explicit(&b->state, memory_order_relaxed);
	uint64_t generation;

	do {
		generation = state / ONE_GENERATION;
	} while (!atomic_compare_exchange_weak_explicit(
		&b->state, &state, state + adder_of(generation & 1), memory_order_acq_rel,
		memory_order_relaxed));
	filter_set(&b->filters[generation / 2 & 1], &at);
	if (generation & 1)
		filter_set(&b->filters[~generation / 2 & 1], &at);
	return (struct bloom_pass){ generation & 1 };
}

void bloom_added(struct bloom *b, struct bloom_pass pass)
{
	atomic_fetch_sub_explicit(&b->state, adder_of(pass.side), memory_order_release);
}

bool bloom_may_have(const struct bloom *b, uint32_t process, uint64_t pointer)
{
	struct places at = places_of(process, pointer);
	uint32_t swaps = atomic_load_explicit(&b->swaps, memory_order_acquire);
	uint32_t before;

	/* A filter that was swapped out may be cleared while it is read. */
	do {
		if (filter_has(&b->filters[swaps & 1], &at))
			return true;
		before = swaps;
		swaps = atomic_load_explicit(&b->swaps, memory_order_acquire);
	} while (swaps != before);
	return false;
}

static const struct filter *answering(const struct bloom *b)
{
	return &b->filters[atomic_load_explicit(&b->swaps, memory_order_acquire) & 1];
}

/* Where what lives alone makes so many ones, a rebuild is due when as much again was added. */
bool bloom_wants_rebuild(const struct bloom *b)
{
	const struct filter *f = answering(b);
	uint64_t entries = atomic_load_explicit(&f->entries, memory_order_relaxed);

	return atomic_load_explicit(&f->ones, memory_order_relaxed) > BLOOM_BITS / 2 &&
	       entries >= 2 * atomic_load_explicit(&b->kept, memory_order_relaxed);
}

/* Nobody comes to a side whose generation is over, so this ends. */
static void wait_for_adders(const struct bloom *b, unsigned int side)
{
	while (atomic_load_explicit(&b->state, memory_order_acquire) >> side * ADDERS_BITS &
	       ADDERS_MASK)
		sched_yield();
}

static struct filter *being_filled(struct bloom *b)
{
	return &b->filters[~atomic_load_explicit(&b->swaps, memory_order_relaxed) & 1];
}

int bloom_rebuild_begin(struct bloom *b)
{
	if (atomic_exchange_explicit(&b->rebuilding, true, memory_order_acquire)) {
		atomic_fetch_add_explicit(&b->refused, 1, memory_order_relaxed);
		return -EBUSY;
	}
	wait_for_adders(b, 1); /* of the last rebuild: they still set bits of both */
	filter_clear(being_filled(b));
	atomic_fetch_add_explicit(&b->state, ONE_GENERATION, memory_order_acq_rel);
	wait_for_adders(b, 0); /* they set bits of the old filter only, and have now published */
	return 0;
}

void bloom_rebuild_keep(struct bloom *b, uint32_t process, uint64_t pointer)
{
	struct places at = places_of(process, pointer);

	filter_set(being_filled(b), &at);
}

void bloom_rebuild_end(struct bloom *b)
{
	struct filter *f = being_filled(b);
	uint64_t kept = atomic_load_explicit(&f->entries, memory_order_relaxed);

	/* In this order: additions go to both until all questions go to the new one. */
	atomic_fetch_add_explicit(&b->swaps, 1, memory_order_acq_rel);
	atomic_fetch_add_explicit(&b->state, ONE_GENERATION, memory_order_acq_rel);
	atomic_store_explicit(&b->kept, kept, memory_order_relaxed);
	atomic_fetch_add_explicit(&b->rebuilds, 1, memory_order_relaxed);
	atomic_store_explicit(&b->rebuilding, false, memory_order_release);
}

struct bloom_stats bloom_stats(const struct bloom *b)
{
	return (struct bloom_stats){
		.ones = atomic_load_explicit(&answering(b)->ones, memory_order_relaxed),
		.rebuilds = atomic_load_explicit(&b->rebuilds, memory_order_relaxed),
		.refused = atomic_load_explicit(&b->refused, memory_order_relaxed),
	};
}
