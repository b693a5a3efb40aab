/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that look random and are the same in each run: what is measured does not change. */
#ifndef SPPROF_BENCH_RANDOM_H
#define SPPROF_BENCH_RANDOM_H

#include <stdint.h>

/* splitmix64 (Steele, Lea, Flood 2014). @state may begin with anything. */
static inline uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

#endif
