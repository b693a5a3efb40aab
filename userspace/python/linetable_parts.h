/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of line tables, each with the two questions of linetable.h. */
#ifndef SPPROF_LINETABLE_PARTS_H
#define SPPROF_LINETABLE_PARTS_H

#include "python/linetable.h"

/* linetable_lnotab.c */
int lnotab_lookup(const uint8_t *table, size_t len, uint32_t first_line, uint32_t instr);
int64_t lnotab_units(const uint8_t *table, size_t len);

/* linetable_ranges.c */
int ranges_lookup(const uint8_t *table, size_t len, uint32_t first_line, uint32_t instr);
int64_t ranges_units(const uint8_t *table, size_t len);

/* linetable_location.c */
int location_lookup(const uint8_t *table, size_t len, uint32_t first_line, uint32_t instr);
int64_t location_units(const uint8_t *table, size_t len);

#endif
