/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An exponential draw without floating point, which BPF has not: what heap/sampling does with
 * log(). Plain C, so that tests/unit holds it against that.
 */
#ifndef SPPROF_EXPONENTIAL_BPF_H
#define SPPROF_EXPONENTIAL_BPF_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define SP_LN_BITS 58		     /* of a logarithm, behind its point */
#define SP_LN_2 0x2c5c85fdf473de7ull /* ln(2) */
#define SP_LN_STEPS 31

/*
 * -ln(@random / 2^64), within 2^-53; a @random of 0 counts as 1.
 *
 * The fraction is made 1 by factors of 1 + 2^-i, each a shift and an addition, whose logarithms
 * are known; what is left to 1 is small enough to be its own logarithm. So draws close to 0,
 * which decide on small blocks, are as exact as the others.
 */
static inline __u64 sp_minus_ln(__u64 random)
{
	static const __u64 ln[SP_LN_STEPS] = {
		/* ln(1 + 2^-i), i from 1 on */
		0x19f323ecbf984bf, 0x0e47fbe3cd4d10d, 0x0789c1db8abcb98, 0x03e14618022c54d,
		0x01f829b0e783300, 0x00fe054587e01f2, 0x007f80a9ac419e2, 0x003fe0154562178,
		0x001ff802a9ab10e, 0x000ffe005545588, 0x0007ff800aa9aac, 0x0003ffe00155455,
		0x0001fff8002aa9b, 0x0000fffe0005554, 0x00007fff8000aab, 0x00003fffe000155,
		0x00001ffff80002b, 0x00000ffffe00005, 0x000007ffff80001, 0x000003ffffe0000,
		0x000001fffff8000, 0x000000fffffe000, 0x0000007fffff800, 0x0000003fffffe00,
		0x0000001ffffff80, 0x0000000ffffffe0, 0x00000007ffffff8, 0x00000003ffffffe,
		0x000000020000000, 0x000000010000000, 0x000000008000000,
	};
	__u64 y = random ? random : 1, sum = 0;

	for (__u32 bits = 32; bits; bits >>= 1) {
		if (y >> (64 - bits))
			continue;
		y <<= bits;
		sum += bits * SP_LN_2;
	}
	for (__u32 i = 0; i < SP_LN_STEPS; i++) {
		__u64 more = y + (y >> (i + 1));

		if (more < y)
			continue; /* beyond 1 */
		y = more;
		sum += ln[i];
	}
	return sum + (-y >> (64 - SP_LN_BITS));
}

/*
 * Bytes until the next sample, 1 or more: an exponential draw of mean @rate, rounded up, so that
 * an allocation of n bytes reaches it with exactly 1 - e^(-n/rate).
 */
static inline __u64 sp_threshold(__u64 random, __u32 rate)
{
	__u64 draw = sp_minus_ln(random);
	__u64 high = (draw >> 32) * rate, low = (draw & 0xffffffff) * rate;

	return ((high + (low >> 32)) >> (SP_LN_BITS - 32)) + 1;
}

#endif
