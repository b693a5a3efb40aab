/* SPDX-License-Identifier: Apache-2.0 */
#include "python/mimalloc_segment.h"

#include "base/words.h"

#include <errno.h>

#define MOST_INFO_SLICES 2u /* the books take one, in debug builds two */
#define MOST_BYTES (1ull << 47)
#define KIND_NORMAL 0u
#define KIND_HUGE 1u
#define FLAGS 24 /* allow_decommit, allow_purge */

/* Where mi_segment_t has its fields; held against the headers by tests/tools. */
static const struct fields {
	uint16_t abandoned, used, cookie, slices, info_slices, kind, entries, table;
	uint16_t stride, stride_no_gil;
} fields_of[] = {
	[MIMALLOC_2_1] = { 192, 208, 216, 224, 232, 240, 248, 264, 80, 96 },
	[MIMALLOC_2_5] = { 200, 216, 224, 248, 256, 264, 272, 288, 96, 112 },
};

/* Of a normal segment, or of a huge one: @slices is how many it is long. */
static bool has_its_size(const uint8_t *head, const struct fields *at, uint64_t slices)
{
	uint64_t entries = word_at(head, at->entries);
	uint32_t kind = half_at(head, at->kind);

	if (kind == KIND_NORMAL)
		return slices == MIMALLOC_MOST_SLICES && entries == slices;
	return kind == KIND_HUGE && slices > word_at(head, at->info_slices) &&
	       slices <= MOST_BYTES / MIMALLOC_SLICE_BYTES &&
	       entries == (slices < MIMALLOC_MOST_SLICES ? slices : MIMALLOC_MOST_SLICES);
}

static bool is_segment(const uint8_t *head, const struct fields *at)
{
	uint64_t used = word_at(head, at->used), info = word_at(head, at->info_slices);

	return used && used <= MIMALLOC_MOST_SLICES && word_at(head, at->abandoned) <= used &&
	       head[FLAGS] <= 1 && head[FLAGS + 1] <= 1 && info && info <= MOST_INFO_SLICES &&
	       has_its_size(head, at, word_at(head, at->slices));
}

int mimalloc_decode_segment(const uint8_t head[MIMALLOC_SEGMENT_HEAD_BYTES], uint64_t address,
			    struct mimalloc_segment *out)
{
	enum mimalloc_version version =
		is_segment(head, &fields_of[MIMALLOC_2_1]) ? MIMALLOC_2_1 : MIMALLOC_2_5;
	const struct fields *at = &fields_of[version];

	if (address % MIMALLOC_SEGMENT_BYTES || !is_segment(head, at))
		return -ENOENT;
	*out = (struct mimalloc_segment){
		.address = address,
		.bytes = word_at(head, at->slices) * MIMALLOC_SLICE_BYTES,
		.key = word_at(head, at->cookie) ^ address,
		.version = version,
		.table = at->table,
		.first = (uint32_t)word_at(head, at->info_slices),
		.end = (uint32_t)word_at(head, at->entries),
	};
	return 0;
}

uint32_t mimalloc_stride(enum mimalloc_version version, bool is_free_threaded)
{
	return is_free_threaded ? fields_of[version].stride_no_gil : fields_of[version].stride;
}

uint32_t mimalloc_next_slice(const struct mimalloc_segment *segment, const uint8_t *table,
			     uint32_t stride, uint32_t slice)
{
	/* The first of mi_slice_t: slices from there on that go together. */
	uint32_t count = half_at(table, (size_t)slice * stride);

	if (!count)
		count = 1; /* it was read while it changed: so the next page cannot be missed */
	return count < segment->end - slice ? slice + count : segment->end;
}
