/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The filter that frees pass before they become records: whether a pointer of a process may be
 * a sample. "No" is certain. A byte stands for each bit, as a byte is written without reading
 * its neighbours: nobody's addition is lost to another's.
 *
 * Of 2^20 places and 4 hashes: n entries answer a wrong "yes" with (1 - e^(-4n/2^20))^4, 0.09 %
 * at 50,000, 2.07 % at 125,000.
 */
#ifndef SPPROF_FILTER_H
#define SPPROF_FILTER_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define SP_FILTER_PLACES (1u << 20)
#define SP_FILTER_HASHES 4
#define SP_FILTER_SIDES 2     /* one answers; the other one may be in the making */
#define SP_FILTER_HALF 181704 /* entries that make half of the places ones: 2^20 ln(2) / 4 */

/* Value of `heap_filter`. */
struct sp_filter {
	__u8 is_set[SP_FILTER_PLACES];
};

struct sp_filter_places {
	__u32 at[SP_FILTER_HASHES];
};

static inline __u64 sp_filter_mix(__u64 x)
{
	x = (x ^ x >> 31) * 0xd6e8feb86659fd93ull;
	x = (x ^ x >> 32) * 0xa3ec647659359acdull;
	return x ^ x >> 29;
}

static inline void sp_filter_find(__u32 pid, __u64 pointer, struct sp_filter_places *out)
{
	__u64 first = sp_filter_mix(pointer ^ (__u64)pid << 48 ^ (__u64)pid << 29);
	__u64 second = sp_filter_mix(first + 0x632be59bd9b4e019ull);

	out->at[0] = first & (SP_FILTER_PLACES - 1);
	out->at[1] = first >> 22 & (SP_FILTER_PLACES - 1);
	out->at[2] = first >> 44;
	out->at[3] = second >> 44;
}

#endif
