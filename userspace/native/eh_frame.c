/* SPDX-License-Identifier: Apache-2.0 */
/* Source: Linux Standard Base, 10.6 (Exception Frames); the encodings are those of DWARF's. */
#include "native/eh_frame.h"

#include <string.h>

#define VERSION 1
#define UDATA4 0x03
#define DATAREL_SDATA4 0x3b /* a signed distance from the index's own address */
#define EXTENDED 0xffffffff /* a length that does not fit into 32 bits follows */

static uint32_t word_at(const uint8_t *bytes)
{
	uint32_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/* @base and a signed distance. */
static uint64_t away_from(uint64_t base, const uint8_t *bytes)
{
	return base + (int64_t)(int32_t)word_at(bytes);
}

uint32_t eh_frame_rows(const uint8_t head[EH_FRAME_HEAD_BYTES])
{
	/* version, and how the pointer to .eh_frame, the number of rows and the rows are written */
	if (head[0] != VERSION || head[2] != UDATA4 || head[3] != DATAREL_SDATA4)
		return 0;
	return word_at(head + 8); /* behind the pointer, of 4 bytes in whatever way */
}

void eh_frame_row(const uint8_t row[EH_FRAME_ROW_BYTES], uint64_t index, uint64_t *start,
		  uint64_t *entry)
{
	*start = away_from(index, row);
	*entry = away_from(index, row + 4);
}

uint32_t eh_frame_bytes(const uint8_t entry[EH_FRAME_ENTRY_BYTES], uint64_t at, uint64_t start)
{
	/* length, distance to the common part (0: it is itself one), first address, bytes */
	if (word_at(entry) == EXTENDED || !word_at(entry) || !word_at(entry + 4))
		return 0;
	return away_from(at + 8, entry + 8) == start ? word_at(entry + 12) : 0;
}
