/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers among bytes that were copied out of a process, which may lie at any address here. */
#ifndef SPPROF_WORDS_H
#define SPPROF_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t word_at(const uint8_t *bytes, size_t offset)
{
	uint64_t value;

	memcpy(&value, bytes + offset, sizeof(value));
	return value;
}

static inline uint32_t half_at(const uint8_t *bytes, size_t offset)
{
	uint32_t value;

	memcpy(&value, bytes + offset, sizeof(value));
	return value;
}

#endif
