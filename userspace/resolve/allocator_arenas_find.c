/* SPDX-License-Identifier: Apache-2.0 */
/* Any word of the Python's variables may be the pointer: each value is tried once or a few times. */
#include "resolve/allocator_arenas.h"

#include "base/cleanup.h"

#include <errno.h>
#include <stdlib.h>

#define LEAST_ADDRESS 4096
#define MALLOC_BYTES 16	  /* what malloc'ed memory begins at multiples of */
#define PIECE_BYTES 65536 /* of variables, to be read at once */
#define TRIED_PLACES 4096
#define READ_BYTES 4096 /* a reading of more counts as several */
#define LOOK_BACK 8	/* words: usable_arenas may have the same value, 3 behind arenas */

/* A reader that gives up, so that no forged memory takes for ever. */
struct bounded {
	const struct target_reader *memory;
	uint32_t left;
};

static int read_bounded(void *ctx, uint64_t addr, void *dst, size_t len)
{
	struct bounded *b = ctx;
	uint32_t pages = 1 + len / READ_BYTES;

	if (!b->left)
		return -E2BIG;
	b->left = b->left > pages ? b->left - pages : 0;
	return b->memory->read(b->memory->ctx, addr, dst, len);
}

/* Pointers that were tried lately. */
struct tried {
	uint64_t values[TRIED_PLACES];
};

/* Whether @word may lead to an array, and was not tried yet. */
static bool is_new(struct tried *tried, const struct allocator_places *places, uint64_t word)
{
	uint64_t *place = &tried->values[word / MALLOC_BYTES % TRIED_PLACES];

	if (word % MALLOC_BYTES || word < LEAST_ADDRESS || word >= PYMALLOC_ADDRESS_END ||
	    *place == word)
		return false;
	if (allocator_places_is_own(places, word))
		return false; /* the array is malloc'ed */
	*place = word;
	return true;
}

static int find_in(const struct target_reader *memory, const struct allocator_places *places,
		   struct place part, struct tried *tried, struct arenas_found *out)
{
	uint64_t words[PIECE_BYTES / 8];
	size_t bytes = part.end - part.start;
	int err = memory->read(memory->ctx, part.start, words, bytes);

	if (err)
		return err == -EFAULT ? -ENOENT : err;
	for (size_t i = 0; i < bytes / 8; i++) {
		if (!is_new(tried, places, words[i]))
			continue;
		err = allocator_arenas_check(memory, words[i], out);
		out->at = part.start + i * 8;
		if (err != -ENOENT)
			return err;
	}
	return -ENOENT;
}

/* The first of the variables beside the one found that have its value: arenas comes first. */
static int find_first(const struct target_reader *memory, struct arenas_found *found)
{
	uint64_t words[LOOK_BACK], from = found->at - sizeof(words);
	int err = memory->read(memory->ctx, from, words, sizeof(words));

	for (size_t i = 0; !err && i < LOOK_BACK; i++)
		if (words[i] == found->arenas) {
			found->at = from + i * sizeof(*words);
			break;
		}
	return err == -EFAULT ? 0 : err;
}

/* From the end on: what begins as zero is there, and it is less. */
int allocator_arenas_find(const struct target_reader *memory, const struct allocator_places *places,
			  struct arenas_found *out)
{
	struct bounded bounded = { .memory = memory, .left = ALLOCATOR_MOST_READS };
	struct target_reader reader = { .read = read_bounded, .ctx = &bounded };
	OWNS_MEM struct tried *tried = calloc(1, sizeof(*tried));
	int err = tried ? -ENOENT : -ENOMEM;

	for (size_t i = places->data_count; i-- && err == -ENOENT;) {
		uint64_t start = places->data[i].start, end = places->data[i].end;

		while (end > start && err == -ENOENT) {
			uint64_t from = end - start > PIECE_BYTES ? end - PIECE_BYTES : start;

			err = find_in(&reader, places, (struct place){ from, end }, tried, out);
			end = from;
		}
	}
	return err ? err : find_first(memory, out);
}
