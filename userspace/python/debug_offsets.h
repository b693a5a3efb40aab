/* SPDX-License-Identifier: Apache-2.0 */
/* _Py_DebugOffsets: the table at the start of _PyRuntime in which CPython describes itself. */
#ifndef SPPROF_DEBUG_OFFSETS_H
#define SPPROF_DEBUG_OFFSETS_H

#include "spprof_pylayout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the table says of itself. Its place is the same in every version that has one. */
struct debug_offsets_head {
	uint32_t version; /* Py_Version */
	bool is_free_threaded;
};

/* Whether the @len bytes at @head start a table: then 0 and *@out, else -ENOENT. */
int debug_offsets_head(const uint8_t *head, size_t len, struct debug_offsets_head *out);

/*
 * Reads the table of Python 3.@minor into *@out, all but version, runtime_autotsskey (it
 * is in no table) and owner_shim. The values are the target's word and may be anything
 * that fits the fields. 0; -ENOTSUP for a minor version whose table we do not know;
 * -EBADMSG if the table is cut or an offset does not fit.
 */
int debug_offsets_read(const uint8_t *head, size_t len, unsigned int minor,
		       struct sp_pylayout *out);

#endif
