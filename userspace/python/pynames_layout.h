/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where one CPython build keeps what leads to the names of threads: the way from an interpreter
 * to threading._active and from a Thread to its _name. Only user space reads it; a reader
 * believes it only if sys.modules turns out to be what it should be.
 */
#ifndef SPPROF_PYNAMES_LAYOUT_H
#define SPPROF_PYNAMES_LAYOUT_H

#include "python/pydict.h"
#include "spprof_pylayout.h"

#include <stddef.h>
#include <stdint.h>

/* Where an instance keeps its attributes. */
enum pynames_instance {
	PYNAMES_POINTER,      /* up to 3.10: a dict, where tp_dictoffset says */
	PYNAMES_TWO_POINTERS, /* 3.11: before it a dict, and before that, values */
	PYNAMES_TAGGED,	      /* 3.12: before it a dict or, with the lowest bit set, values */
	PYNAMES_INLINE,	      /* from 3.13: before it a dict, behind it values */
};

struct pynames_layout {
	uint32_t interp_next;
	uint32_t interp_modules; /* sys.modules */
	uint16_t object_type;
	uint16_t object_size; /* of PyObject; a module's dict and an int's size follow it */
	uint16_t type_basicsize;
	uint16_t type_flags;
	uint16_t type_dictoffset;
	uint16_t type_cached_keys; /* PyHeapTypeObject.ht_cached_keys */
	uint16_t dict_keys;
	uint16_t dict_values;
	uint16_t long_size; /* ob_size, from 3.12 on lv_tag */
	uint16_t long_digits;
	uint16_t dict_before; /* the managed dict lies so far before the instance; from 3.11 on */
	enum pydict_kind keys;
	enum pydict_int ints;
	enum pynames_instance instance;
};

/*
 * For the interpreter that @at is of. @head are the first @len bytes of its _PyRuntime, of which
 * those are read that are a _Py_DebugOffsets, from 3.13 on. 0; -ENOTSUP not known; -EBADMSG.
 */
int pynames_layout_find(const struct sp_pylayout *at, const uint8_t *head, size_t len,
			struct pynames_layout *out);

#endif
