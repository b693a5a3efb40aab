/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPython 3.11+ location tables (co_linetable). The bytes come from another
 * process: any content is legal input.
 * Source: cpython/Objects/locations.md (3.11), InternalDocs/code_objects.md (3.13+).
 */
#ifndef SPPROF_LINETABLE_H
#define SPPROF_LINETABLE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Source line of code unit @instr (2 bytes each) in a table of @len bytes.
 * Returns the line (>= 1), 0 if the unit has none (or is on line 0, as what a module
 * starts with), -EBADMSG if the table ends early or holds a line out of range.
 */
int linetable_lookup(const uint8_t *table, size_t len, uint32_t first_line, uint32_t instr);

/* Code units that the table covers, or -EBADMSG. */
int64_t linetable_units(const uint8_t *table, size_t len);

#endif
