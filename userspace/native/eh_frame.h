/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eh_frame - where functions begin and end, by what is there for unwinding: stripped files have it,
 * too.
 */
#ifndef SPPROF_EH_FRAME_H
#define SPPROF_EH_FRAME_H

#include <stddef.h>
#include <stdint.h>

#define EH_FRAME_HEAD_BYTES 12 /* what the index begins with */
#define EH_FRAME_ROW_BYTES 8   /* and what follows it */
#define EH_FRAME_ENTRY_BYTES 16

/*
 * The number of rows of the index (.eh_frame_hdr) that begins with @head; 0: it has none, or not in
 * the form that linkers write. Any content is legal input.
 */
uint32_t eh_frame_rows(const uint8_t head[EH_FRAME_HEAD_BYTES]);

/* A row of the index at @index: a function's first address and that of its entry. */
void eh_frame_row(const uint8_t row[EH_FRAME_ROW_BYTES], uint64_t index, uint64_t *start,
		  uint64_t *entry);

/*
 * The bytes of the function that begins at @start, by its entry at address @at. 0: it is not the
 * entry of that function, or in another form than compilers for x86-64 write.
 */
uint32_t eh_frame_bytes(const uint8_t entry[EH_FRAME_ENTRY_BYTES], uint64_t at, uint64_t start);

#endif
