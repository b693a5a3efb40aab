/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layouts of CPython builds: rows up to 3.12, the process's own table from 3.13. That table
 * does not say where autoTSSkey is: runtime_autotsskey is then 0, for resolve/ to search,
 * and SP_NO_KEY from 3.15, which has none.
 */
#ifndef SPPROF_PYLAYOUT_ROWS_H
#define SPPROF_PYLAYOUT_ROWS_H

#include "spprof_pylayout.h"

#include <stddef.h>
#include <stdint.h>

#define PYLAYOUT_DEBUG_OFFSETS_BYTES 1024 /* the longest table that any version has */

/*
 * Layout of the interpreter whose Py_Version is @version. @head are the first @len
 * bytes of its _PyRuntime: where they are a _Py_DebugOffsets (3.13 and later), the
 * layout is taken from there and @version may be 0.
 *
 * Returns 0 and *@out; -ENOTSUP if we know no layout for it, and then *@why, a static
 * text for people ("Python 3.16 is newer than 3.15, …"); -EBADMSG and *@why if the table
 * contradicts itself.
 */
int pylayout_find(uint32_t version, const uint8_t *head, size_t len, struct sp_pylayout *out,
		  const char **why);

/*
 * What can be said of a layout without a process: offsets are in range and aligned,
 * and fields that are neighbours in every CPython are neighbours. 0 or -EBADMSG.
 */
int pylayout_validate(const struct sp_pylayout *at);

/*
 * "3.11.2", "3.14.0b1", "3.8" where no more is known, "3.14.7t" of a free-threaded build. @text has
 * room for 16 bytes.
 */
void pylayout_version_text(const struct sp_pylayout *at, char text[16]);

#endif
