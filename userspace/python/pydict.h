/* SPDX-License-Identifier: Apache-2.0 */
/* How a dict keeps its keys, and an int its digits. Bytes of another process: any are legal. */
#ifndef SPPROF_PYDICT_H
#define SPPROF_PYDICT_H

#include <stdint.h>

#define PYDICT_HEAD_BYTES 40	    /* of a PyDictKeysObject, as far as it is looked at */
#define PYDICT_INT_DIGITS 2	    /* of 30 bits: an address needs no more */
#define PYDICT_MOST_ENTRIES 1000000 /* nothing that we look for is in a bigger one */

enum pydict_kind {
	PYDICT_SIZED, /* up to 3.10: the number of slots; entries with their hash */
	PYDICT_LOG2,  /* from 3.11: its logarithm; without hashes if all keys are strings */
};

enum pydict_int {
	PYDICT_INT_SIZE, /* up to 3.11: the number of digits, negative for negative ints */
	PYDICT_INT_TAG,	 /* from 3.12: the number of digits above 3 bits that say the sign */
};

/* Where the entries of a PyDictKeysObject are. */
struct pydict_keys {
	uint32_t first;	 /* from the object's start */
	uint32_t count;	 /* that are in use or were */
	uint16_t stride; /* bytes of an entry */
	uint16_t key;	 /* of these, where the pointer to the key is; that to the value follows */
};

/* Of the object's first bytes. 0 or -EBADMSG. Source: cpython Objects/dictobject.c. */
int pydict_decode_keys(const uint8_t head[PYDICT_HEAD_BYTES], enum pydict_kind kind,
		       struct pydict_keys *out);

/*
 * Of ob_size or lv_tag, and the digits. 0 and *@out; -ERANGE if it is negative or has more digits
 * than these; -EBADMSG.
 */
int pydict_decode_int(uint64_t size, const uint32_t digits[PYDICT_INT_DIGITS], enum pydict_int kind,
		      uint64_t *out);

#endif
