/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A build that was optimised by a profile has the allocator's fast path in many functions, and no
 * probe on the allocator's own sees these. They show in who takes new pools: elsewhere, only the
 * allocator's own functions do.
 */
#include "resolve/heap_sites_parts.h"

#include "base/file_read.h"

#include <errno.h>
#include <string.h>

#define CHUNK_BYTES 65536
#define CALL 0xe8
#define JUMP 0xe9
#define BRANCH_BYTES 5 /* opcode and displacement */
#define OWN_CALLERS 8  /* malloc, calloc, realloc; with what was inlined twice or split */

/* Direct branches to @target in the @len bytes at @code, which run at @address. */
static unsigned int count_branches(const uint8_t *code, size_t len, uint64_t address,
				   uint64_t target)
{
	unsigned int count = 0;

	for (size_t i = 0; i + BRANCH_BYTES <= len; i++) {
		int32_t away;

		if (code[i] != CALL && code[i] != JUMP)
			continue;
		memcpy(&away, code + i + 1, sizeof(away));
		count += address + i + BRANCH_BYTES + (int64_t)away == target;
	}
	return count;
}

/* Those in one mapping. What cannot be read has none. */
static unsigned int count_in(int file, const struct code_mapping *m, uint64_t target,
			     uint8_t chunk[CHUNK_BYTES])
{
	uint64_t bytes = m->at.end - m->at.start;
	unsigned int count = 0;

	for (uint64_t at = 0; at < bytes; at += CHUNK_BYTES - BRANCH_BYTES + 1) {
		uint64_t len = bytes - at < CHUNK_BYTES ? bytes - at : CHUNK_BYTES;
		ssize_t got = file_read_at(file, m->at.offset + at, chunk, len);

		if (got < BRANCH_BYTES)
			break;
		count += count_branches(chunk, got, m->at.start + at, target);
	}
	return count;
}

int heap_sites_note_callers(struct heap_sites_search *s)
{
	OWNS_MEM uint8_t *chunk = malloc(CHUNK_BYTES);
	struct heap_refills refills;
	unsigned int count = 0;
	int err = chunk ? heap_sites_find_refills(s, &refills) : -ENOMEM;

	for (size_t f = 0; !err && f < s->out->file_count; f++)
		for (size_t i = 0; i < s->code.count; i++)
			for (size_t r = 0; r < refills.count; r++)
				if (code_mapping_is_same_file(s->files[f], &s->code.rows[i]))
					count += count_in(s->out->files[f], &s->code.rows[i],
							  refills.functions[r].address, chunk);
	s->out->are_frees_inlined = count > OWN_CALLERS;
	if (s->out->are_frees_inlined)
		s->out->without = "this build has the allocator's fast path in many of its "
				  "functions, and what they allocate is not seen";
	return err == -ENOTSUP ? 0 : err;
}
