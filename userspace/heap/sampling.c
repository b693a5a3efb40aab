/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/sampling.h"

#include <math.h>
#include <string.h>

/*
 * Spreads a seed over a state of a generator: splitmix64.
 * Source: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number
 * generators", 2014.
 */
static uint64_t split(uint64_t *seed)
{
	uint64_t x = *seed += 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

/* Source: S. Vigna, "Further scramblings of Marsaglia's xorshift generators", 2017: 23, 18, 5. */
uint64_t sampling_random(struct sampling *s)
{
	uint64_t x = s->prng_state[0];
	uint64_t y = s->prng_state[1];

	x ^= x << 23;
	s->prng_state[0] = y;
	s->prng_state[1] = x ^ y ^ x >> 18 ^ y >> 5;
	return s->prng_state[1] + y;
}

int64_t sampling_threshold(struct sampling *s, uint64_t rate)
{
	double uniform = (double)((sampling_random(s) >> 11) + 1) * 0x1p-53; /* never 0 */
	double bytes;

	if (rate > SAMPLING_RATE_MOST)
		rate = SAMPLING_RATE_MOST;
	bytes = ceil(-log(uniform) * (double)rate); /* at most 37 rates */
	return bytes < 1 ? 1 : (int64_t)bytes;
}

void sampling_init(struct sampling *s, uint64_t rate, uint64_t seed, uint64_t thread)
{
	uint64_t at = split(&seed) ^ thread;

	memset(s, 0, sizeof(*s));
	s->prng_state[0] = split(&at);
	s->prng_state[1] = split(&at) | 1; /* a state of zeros would stay that */
	s->byte_counter = sampling_threshold(s, rate);
	s->initialized = 1;
}

bool sampling_allocated(struct sampling *s, uint64_t rate, uint64_t size)
{
	if (s->inside_profiler) {
		s->skipped_reentrant++;
		return false;
	}
	s->total_allocs++;
	if (size < (uint64_t)s->byte_counter) {
		s->byte_counter -= (int64_t)size;
		return false;
	}
	s->byte_counter = sampling_threshold(s, rate);
	s->sampled_allocs++;
	s->sampled_bytes += size;
	return true;
}

void sampling_freed(struct sampling *s)
{
	if (s->inside_profiler)
		s->skipped_reentrant++;
	else
		s->total_frees++;
}

bool sampling_enter(struct sampling *s)
{
	if (s->inside_profiler)
		return false;
	s->inside_profiler = 1;
	return true;
}

void sampling_leave(struct sampling *s)
{
	s->inside_profiler = 0;
}
