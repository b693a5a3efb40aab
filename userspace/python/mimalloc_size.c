/* SPDX-License-Identifier: Apache-2.0 */
#include "python/mimalloc_size.h"

#define WORD 8u
#define MOST_EXACT 64u /* up to there a multiple of two words; then four sizes each doubling */
#define KIB 1024ull
#define MIB (KIB * KIB)

/* Sizes of blocks that have a page each, up to @most. */
struct large_size {
	uint64_t most, step;
};

static uint64_t rounded(uint64_t bytes, uint64_t step)
{
	return (bytes + step - 1) / step * step;
}

static uint64_t of_bin(uint64_t bytes)
{
	unsigned int highest;

	if (bytes <= WORD)
		return WORD;
	if (bytes <= MOST_EXACT)
		return rounded(bytes, 2 * WORD);
	highest = 63 - (unsigned int)__builtin_clzll(bytes);
	return rounded(bytes, 1ull << (highest - 2));
}

/* The last of @sizes is for all. */
static uint64_t of_page(uint64_t bytes, const struct large_size *sizes)
{
	while (bytes > sizes->most)
		sizes++;
	return rounded(bytes, sizes->step);
}

uint64_t mimalloc_2_1_block_bytes(uint64_t bytes)
{
	static const struct large_size sizes[] = {
		{ 512 * KIB, 64 * KIB },
		{ 8 * MIB, 512 * KIB },
		{ 32 * MIB, MIB },
		{ UINT64_MAX, 4 * MIB },
	};

	return bytes <= 128 * KIB ? of_bin(bytes) : of_page(bytes, sizes);
}

uint64_t mimalloc_2_5_block_bytes(uint64_t bytes)
{
	static const struct large_size sizes[] = {
		{ 512 * KIB, 4 * KIB }, { 2 * MIB, 64 * KIB },	 { 8 * MIB, 256 * KIB },
		{ 32 * MIB, MIB },	{ UINT64_MAX, 4 * MIB },
	};

	return bytes <= 64 * KIB ? of_bin(bytes) : of_page(bytes, sizes);
}
