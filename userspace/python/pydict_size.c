/* SPDX-License-Identifier: Apache-2.0 */
#include "python/pydict_size.h"

#include "base/words.h"

#include <errno.h>

#define MOST_REFERENCES (1ull << 32)
#define LEAST_LOG2 3
#define MOST_LOG2 36
#define LAST_KIND 2 /* DICT_KEYS_GENERAL is 0; 1 and 2 have no hashes */
#define SIZED_HEAD 40
#define LOG2_HEAD 32
#define HASHED_ENTRY 24
#define ENTRY 16
#define WORD 8

/* Offsets in both kinds; the head of PYDICT_SIZED has a pointer to a function at 16. */
#define REFERENCES_AT 0
#define LOG2_USABLE_AT 16
#define SIZED_USABLE_AT 24

/* Slots that may be taken. */
static uint64_t usable_fraction(unsigned int log2)
{
	return (2ull << log2) / 3;
}

/* The least integers that hold numbers of so many slots, as a power of two. */
static unsigned int log2_index_bytes(unsigned int log2)
{
	return log2 < 8 ? log2 : log2 < 16 ? log2 + 1 : log2 < 32 ? log2 + 2 : log2 + 3;
}

/* Of @usable entries and the count of those in use that follows it. */
static int check_entries(const uint8_t *usable, unsigned int log2)
{
	uint64_t left = word_at(usable, 0), used = word_at(usable, WORD);
	uint64_t most = usable_fraction(log2);

	return left <= most && used <= most && left + used <= most && left + used ? 0 : -EBADMSG;
}

static int decode_sized(const uint8_t *head, struct pydict_size *out)
{
	uint64_t size = word_at(head, 8), lookup = word_at(head, 16);
	unsigned int log2 = size ? __builtin_ctzll(size) : 0;

	if (log2 < LEAST_LOG2 || log2 > MOST_LOG2 || size != 1ull << log2 || lookup >> 47 ||
	    lookup < 4096 || check_entries(head + SIZED_USABLE_AT, log2))
		return -EBADMSG;
	*out = (struct pydict_size){
		.bytes = SIZED_HEAD + (1ull << log2_index_bytes(log2)) +
			 usable_fraction(log2) * HASHED_ENTRY,
		.values = usable_fraction(log2),
	};
	return 0;
}

static int decode_log2(const uint8_t *head, struct pydict_size *out)
{
	unsigned int log2 = head[8], kind = head[10];

	if (log2 < LEAST_LOG2 || log2 > MOST_LOG2 || head[9] != log2_index_bytes(log2) ||
	    kind > LAST_KIND || check_entries(head + LOG2_USABLE_AT, log2))
		return -EBADMSG;
	*out = (struct pydict_size){
		.bytes = LOG2_HEAD + (1ull << head[9]) +
			 usable_fraction(log2) * (kind ? ENTRY : HASHED_ENTRY),
		.values = word_at(head, LOG2_USABLE_AT) + word_at(head, LOG2_USABLE_AT + WORD),
	};
	return 0;
}

int pydict_decode_size(const uint8_t head[PYDICT_HEAD_BYTES], enum pydict_kind kind,
		       struct pydict_size *out)
{
	uint64_t references = word_at(head, REFERENCES_AT);

	if (!references || references >= MOST_REFERENCES)
		return -EBADMSG;
	return kind == PYDICT_SIZED ? decode_sized(head, out) : decode_log2(head, out);
}

uint64_t pydict_values_bytes(uint32_t values, enum pydict_kind kind)
{
	uint64_t before = kind == PYDICT_SIZED ? 0 : (values + 2 + WORD - 1) / WORD * WORD;

	return before + (uint64_t)values * WORD;
}
