/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two passes: the first looks at the books only, so that all is known that lies elsewhere (heaps
 * with lists of freed blocks, and which memory is scanned at all); the second copies page by page.
 */
#include "resolve/mimalloc_scan.h"

#include "python/mimalloc_free.h"
#include "python/mimalloc_size.h"
#include "resolve/mimalloc_late.h"
#include "resolve/mimalloc_segments.h"

#include <errno.h>
#include <string.h>

#define MOST_COPIES 3	     /* of a page that changes while it is copied */
#define BLOCK_HEAD_BYTES 256 /* of large blocks: enough to tell what it is */
#define MOST_COPIED (MIMALLOC_PAGE_MOST_SLICES * MIMALLOC_SLICE_BYTES)

struct books {
	uint8_t table[MIMALLOC_MOST_SLICES * MIMALLOC_MOST_STRIDE];
};

struct scan {
	const struct heap_scan_target *target;
	struct target_reader memory;
	struct heap_tally *tally;
	struct heap_census *out;
	struct mimalloc_late late;
	uint32_t stride;
	uint64_t good, bad; /* pages of the first pass */
	struct books *books;
	uint8_t *bytes; /* of the page's blocks: MOST_COPIED */
	uint64_t bits[MIMALLOC_PAGE_BITMAP_WORDS];
};

/* A page's first slice. */
struct place {
	const struct mimalloc_segment *segment;
	uint32_t slice;
};

static int read_target(const struct scan *s, uint64_t address, void *dst, size_t len)
{
	return s->memory.read(s->memory.ctx, address, dst, len);
}

/* -ECANCELED ends the scan, as does any other error. */
typedef int (*each_page)(struct scan *s, const struct place *at);

static int for_each_page(struct scan *s, const struct mimalloc_segment *segment, each_page each)
{
	struct place at = { .segment = segment, .slice = segment->first };
	int err = read_target(s, segment->address + segment->table, s->books->table,
			      (size_t)segment->end * s->stride);

	if (err == -EFAULT) {
		s->out->pools_unreadable++;
		return 0;
	}
	while (!err && at.slice < segment->end) {
		err = heap_scan_is_cancelled(s->target) ? -ECANCELED : each(s, &at);
		at.slice = mimalloc_next_slice(segment, s->books->table, s->stride, at.slice);
	}
	return err;
}

static int look_at_page(struct scan *s, const struct place *at)
{
	struct mimalloc_page page;
	int err = mimalloc_decode_page(s->books->table + (size_t)at->slice * s->stride, at->segment,
				       at->slice, &page);

	if (err == -ENOENT)
		return 0;
	if (err) {
		s->bad++;
		return 0;
	}
	s->good++;
	return mimalloc_late_add_heap(&s->late, page.heap);
}

/* Of large blocks only their heads, so that no untouched memory is. */
static struct mimalloc_copies copies_of(const struct scan *s, const struct mimalloc_page *page)
{
	return (struct mimalloc_copies){
		.bytes = s->bytes,
		.stride = page->block_bytes <= MIMALLOC_PAGE_SMALL_BLOCK ? page->block_bytes
									 : BLOCK_HEAD_BYTES,
	};
}

static int copy_blocks(struct scan *s, const struct mimalloc_page *page)
{
	struct mimalloc_copies to = copies_of(s, page);
	int err = 0;

	if (!page->capacity)
		return 0;
	if (to.stride == page->block_bytes)
		return read_target(s, page->address, s->bytes, page->capacity * to.stride);
	for (uint32_t i = 0; i < page->capacity && !err; i++)
		err = read_target(s, page->address + i * page->block_bytes,
				  s->bytes + i * to.stride, to.stride);
	return err;
}

/*
 * Copies the page at @at and finds its free blocks. 0; -EAGAIN: it changed each time, and this is
 * about what it was; -EBADMSG its books are wrong, -ENOENT it is none any more, -errno.
 */
static int copy_page(struct scan *s, const struct place *at, struct mimalloc_page *page)
{
	uint64_t books =
		at->segment->address + at->segment->table + (uint64_t)at->slice * s->stride;
	uint8_t before[MIMALLOC_PAGE_BYTES], after[MIMALLOC_PAGE_BYTES];
	struct mimalloc_copies blocks;
	int err = -EAGAIN;

	for (int i = 0; i < MOST_COPIES && (err == -EAGAIN || err == -EBADMSG); i++) {
		err = read_target(s, books, before, sizeof(before));
		if (!err)
			err = mimalloc_decode_page(before, at->segment, at->slice, page);
		if (err)
			continue;
		err = copy_blocks(s, page);
		if (!err)
			err = read_target(s, books, after, sizeof(after));
		if (err)
			return err;
		blocks = copies_of(s, page);
		memset(s->bits, 0, (page->capacity + 63u) / 64 * sizeof(s->bits[0]));
		err = mimalloc_mark_free(page, &blocks, s->bits);
		if (memcmp(before, after, sizeof(before)))
			err = -EAGAIN;
	}
	return err;
}

static enum heap_use use_of(const struct scan *s, const struct mimalloc_page *page)
{
	static const enum heap_use of_tag[] = {
		[MIMALLOC_TAG_MEMORY] = HEAP_USE_MEMORY,
		[MIMALLOC_TAG_OBJECT] = HEAP_USE_OBJECT,
		[MIMALLOC_TAG_GC] = HEAP_USE_GC,
		[MIMALLOC_TAG_GC_PRE] = HEAP_USE_GC_PRE,
	};

	if (!s->target->in->layout.is_free_threaded || page->tag > MIMALLOC_TAG_GC_PRE)
		return HEAP_USE_ANY;
	return of_tag[page->tag];
}

static int tell(struct scan *s, const struct mimalloc_page *page)
{
	struct mimalloc_copies copies = copies_of(s, page);
	struct heap_blocks b = {
		.address = page->address,
		.bytes = s->bytes,
		.length = page->capacity * copies.stride,
		.block_bytes = page->block_bytes,
		.count = page->capacity,
		.free_bits = s->bits,
		.use = use_of(s, page),
	};
	static const uint64_t none;
	int err = 0;

	if (copies.stride == page->block_bytes)
		return heap_tally_add(s->tally, &b);
	b.count = 1;
	b.length = copies.stride;
	b.free_bits = &none;
	for (uint32_t i = 0; i < page->capacity && !err; i++) {
		b.address = page->address + i * page->block_bytes;
		b.bytes = s->bytes + i * copies.stride;
		if (!(s->bits[i / 64] >> i % 64 & 1))
			err = heap_tally_add(s->tally, &b);
	}
	return err;
}

static int count_page(struct scan *s, const struct mimalloc_page *page)
{
	struct heap_census_size size = { .size = page->block_bytes, .pools = 1 };

	size.blocks = page->capacity;
	for (uint32_t i = 0; i * 64 < page->capacity; i++)
		size.blocks -= (uint64_t)__builtin_popcountll(s->bits[i]);
	size.free_blocks = page->reserved - size.blocks;
	s->out->pools++;
	s->out->arena_bytes += page->reserved * page->block_bytes;
	s->out->scanned_bytes += page->capacity * copies_of(s, page).stride;
	s->out->live_blocks += size.blocks;
	s->out->live_bytes += size.blocks * page->block_bytes;
	return heap_census_add_size(s->out, &size);
}

static int scan_page(struct scan *s, const struct place *at)
{
	struct mimalloc_page page;
	int err = copy_page(s, at, &page);

	switch (err) {
	case 0:
		break;
	case -EAGAIN:
		s->out->pools_changed++;
		break;
	case -EBADMSG:
		s->out->pools_damaged++;
		return 0;
	case -EFAULT:
		s->out->pools_unreadable++;
		return 0;
	default:
		return err == -ENOENT ? 0 : err;
	}
	mimalloc_late_mark(&s->late, &page, s->bits);
	err = count_page(s, &page);
	return err ? err : tell(s, &page);
}

static int scan_segments(struct scan *s, const struct mimalloc_segments *segments, const char **why)
{
	int err = 0;

	if (!segments->count) {
		*why = "nothing of its mimalloc was found";
		return -ENOTSUP;
	}
	for (size_t i = 0; i < segments->count && !err; i++) {
		const struct mimalloc_segment *one = &segments->all[i];

		err = heap_tally_add_range(s->tally, one->address, one->address + one->bytes);
		if (!err)
			err = for_each_page(s, one, look_at_page);
	}
	if (!err && (!s->good || s->bad > s->good)) {
		*why = "its mimalloc keeps its books in a way that is not known, as debug builds "
		       "do";
		return -ENOTSUP;
	}
	if (!err)
		err = mimalloc_late_read(&s->late, segments->all[0].version, &s->memory);
	for (size_t i = 0; i < segments->count && !err; i++)
		err = for_each_page(s, &segments->all[i], scan_page);
	return err;
}

static void use_version(struct scan *s, enum mimalloc_version version)
{
	s->stride = mimalloc_stride(version, s->target->in->layout.is_free_threaded);
	heap_tally_use_sizes(s->tally, version == MIMALLOC_2_1 ? mimalloc_2_1_block_bytes
							       : mimalloc_2_5_block_bytes);
}

int mimalloc_scan(const struct heap_scan_target *t, struct heap_tally *tally,
		  struct heap_census *out, const char **why)
{
	OWNS(mimalloc_segments) struct mimalloc_segments segments = { .count = 0 };
	OWNS_MEM struct books *books = malloc(sizeof(*books));
	OWNS_MEM uint8_t *bytes = malloc(MOST_COPIED);
	OWNS_MEM struct scan *s = calloc(1, sizeof(*s));
	pid_t pid = t->pid;
	int err;

	if (!books || !bytes || !s)
		return -ENOMEM;
	err = mimalloc_segments_find(pid, t->is_cancelled, &segments);
	if (err)
		return err;
	*s = (struct scan){ .target = t,
			    .memory = target_reader_of(&pid),
			    .tally = tally,
			    .out = out,
			    .books = books,
			    .bytes = bytes };
	if (segments.count)
		use_version(s, segments.all[0].version);
	out->arenas += segments.count;
	out->pools_unreadable += segments.left_out;
	err = scan_segments(s, &segments, why);
	out->pools_damaged += s->late.cut;
	out->pools_changed += s->late.changed;
	mimalloc_late_cleanup(&s->late);
	return err;
}
