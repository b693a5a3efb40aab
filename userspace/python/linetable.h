/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPython's tables of lines: co_lnotab (3.8, 3.9) and co_linetable. The bytes come from
 * another process: any content is legal input.
 */
#ifndef SPPROF_LINETABLE_H
#define SPPROF_LINETABLE_H

#include <stddef.h>
#include <stdint.h>

enum linetable_kind {
	LINETABLE_LNOTAB,    /* 3.8, 3.9 */
	LINETABLE_RANGES,    /* 3.10: PEP 626 */
	LINETABLE_LOCATIONS, /* from 3.11: PEP 657 */
};

/* Of the Python whose Py_Version is @version. */
enum linetable_kind linetable_kind_of(uint32_t version);

/*
 * Source line of code unit @instr (2 bytes each) in a table of @len bytes.
 * Returns the line (>= 1), 0 if the unit has none (or is on line 0, as what a module
 * starts with), -EBADMSG if the table ends early or holds a line out of range. A co_lnotab
 * does not end: any unit behind it is on its last line.
 */
int linetable_lookup(enum linetable_kind kind, const uint8_t *table, size_t len,
		     uint32_t first_line, uint32_t instr);

/* Code units that the table covers, for a co_lnotab at least, or -EBADMSG. */
int64_t linetable_units(enum linetable_kind kind, const uint8_t *table, size_t len);

/* Where the source of a code unit is. */
struct linetable_position {
	int line, end_line;	/* 0: none */
	int column, end_column; /* bytes of UTF-8 from the line's start; -1: none */
};

/* As linetable_lookup(), of a table of LINETABLE_LOCATIONS: 0 and *@out, or -EBADMSG. */
int linetable_position(const uint8_t *table, size_t len, uint32_t first_line, uint32_t instr,
		       struct linetable_position *out);

#endif
