/* SPDX-License-Identifier: Apache-2.0 */
#include "python/pydict.h"

#include "base/words.h"

#include <errno.h>
#include <stdbool.h>

#define DIGIT_BITS 30
#define SIGN_BITS 3 /* of lv_tag; the third marks what is immortal */
#define SIGN 3
#define NEGATIVE 2
#define GENERAL 0 /* DICT_KEYS_GENERAL; 1 and 2 have keys that are strings */
#define LAST_KIND 2
#define MOST_LOG2 21 /* slots for PYDICT_MOST_ENTRIES */

/* dk_refcnt, dk_size, dk_lookup, dk_usable, dk_nentries, dk_indices */
static int decode_sized(const uint8_t *head, struct pydict_keys *out)
{
	uint64_t size = word_at(head, 8), count = word_at(head, 32);
	unsigned int width = size <= 0xff ? 1 : size <= 0xffff ? 2 : 4;

	if (!size || size > 1u << MOST_LOG2 || size & (size - 1) || count > size ||
	    count > PYDICT_MOST_ENTRIES)
		return -EBADMSG;
	*out = (struct pydict_keys){
		.first = 40 + size * width, .count = count, .stride = 24, .key = 8
	};
	return 0;
}

/*
 * dk_refcnt, dk_log2_size, dk_log2_index_bytes, dk_kind, (dk_mutex,) dk_version, dk_usable,
 * dk_nentries, dk_indices
 */
static int decode_log2(const uint8_t *head, struct pydict_keys *out)
{
	unsigned int log2_size = head[8], log2_bytes = head[9], kind = head[10];
	uint64_t count = word_at(head, 24);

	if (log2_size > MOST_LOG2 || log2_bytes < log2_size || log2_bytes > log2_size + 3 ||
	    kind > LAST_KIND || count > 1u << log2_size || count > PYDICT_MOST_ENTRIES)
		return -EBADMSG;
	*out = (struct pydict_keys){ .first = 32 + (1u << log2_bytes),
				     .count = count,
				     .stride = kind == GENERAL ? 24 : 16,
				     .key = kind == GENERAL ? 8 : 0 };
	return 0;
}

int pydict_decode_keys(const uint8_t head[PYDICT_HEAD_BYTES], enum pydict_kind kind,
		       struct pydict_keys *out)
{
	return kind == PYDICT_SIZED ? decode_sized(head, out) : decode_log2(head, out);
}

int pydict_decode_int(uint64_t size, const uint32_t digits[PYDICT_INT_DIGITS], enum pydict_int kind,
		      uint64_t *out)
{
	uint64_t count = kind == PYDICT_INT_TAG ? size >> SIGN_BITS : size, value = 0;
	bool is_negative = kind == PYDICT_INT_TAG ? (size & SIGN) == NEGATIVE : size >> 63;

	if (is_negative || count > PYDICT_INT_DIGITS)
		return -ERANGE;
	for (uint64_t i = count; i-- > 0;) {
		if (digits[i] >> DIGIT_BITS)
			return -EBADMSG;
		value = value << DIGIT_BITS | digits[i];
	}
	*out = value;
	return 0;
}
