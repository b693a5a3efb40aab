/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory a dict's keys take, and its values. Bytes of another process: any are legal. */
#ifndef SPPROF_PYDICT_SIZE_H
#define SPPROF_PYDICT_SIZE_H

#include "python/pydict.h"

struct pydict_size {
	uint64_t bytes;	 /* of the PyDictKeysObject, as it was asked for */
	uint32_t values; /* that a dict or an instance has beside it, if it shares these keys */
};

/*
 * Of a PyDictKeysObject's first bytes. 0 and *@out; -EBADMSG: they contradict each other, so
 * that memory that happens to be something else is hardly ever taken for one.
 * Source: cpython Objects/dictobject.c, new_keys_object().
 */
int pydict_decode_size(const uint8_t head[PYDICT_HEAD_BYTES], enum pydict_kind kind,
		       struct pydict_size *out);

/* Of an array of so many values, as asked for. Source: there, new_values(). */
uint64_t pydict_values_bytes(uint32_t values, enum pydict_kind kind);

#endif
