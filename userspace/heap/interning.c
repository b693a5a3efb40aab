/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/interning.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>

#define CLAIMED UINT32_MAX /* in the place of a number */
#define SPINS 64

/* A claim lasts as long as an entry is filled, but who made it may have lost its processor. */
static uint64_t settled(_Atomic uint64_t *slot)
{
	uint64_t value;

	for (unsigned int tries = 1;; tries++) {
		value = atomic_load_explicit(slot, memory_order_acquire);
		if ((uint32_t)value != CLAIMED)
			return value;
		if (tries % SPINS == 0)
			sched_yield();
	}
}

static bool claim(_Atomic uint64_t *slot)
{
	uint64_t empty = 0;

	return atomic_compare_exchange_strong_explicit(slot, &empty, CLAIMED, memory_order_acquire,
						       memory_order_relaxed);
}

int64_t interning_find(const struct interning *ix, uint64_t hash, interning_same *same,
		       const void *context, struct interning_place *at)
{
	uint64_t tag = hash & ~(uint64_t)UINT32_MAX;
	uint32_t start = (hash ^ hash >> 32) * 0x9e3779b97f4a7c15ull >> 32;
	uint64_t value;

	for (uint32_t step = 0; step < INTERNING_STEPS && step <= ix->mask; step++) {
		_Atomic uint64_t *slot = &ix->slots[(start + step) & ix->mask];

		while (!(value = settled(slot))) {
			if (!claim(slot))
				continue;
			*at = (struct interning_place){ slot, tag };
			return -ENOENT;
		}
		if ((value & ~(uint64_t)UINT32_MAX) == tag && same(context, (uint32_t)value - 1))
			return (uint32_t)value - 1;
	}
	return -ENOSPC;
}

void interning_publish(const struct interning_place *at, uint32_t number)
{
	atomic_store_explicit(at->slot, at->tag | (number + 1), memory_order_release);
}

void interning_abandon(const struct interning_place *at)
{
	atomic_store_explicit(at->slot, 0, memory_order_release);
}

int64_t interning_reserve(_Atomic uint32_t *count, uint32_t some, uint32_t most)
{
	uint32_t was = atomic_load_explicit(count, memory_order_relaxed);

	do {
		if (some > most - was)
			return -ENOSPC;
	} while (!atomic_compare_exchange_weak_explicit(
		count, &was, was + some, memory_order_relaxed, memory_order_relaxed));
	return was;
}

uint64_t interning_hash(uint64_t hash, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ at[i]) * 0x100000001b3ull;
	return hash;
}
