/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of a fuzzer's as the memory of a process: from FLAT_BASE on, whole pages. */
#ifndef SPPROF_TESTS_FLAT_MEMORY_H
#define SPPROF_TESTS_FLAT_MEMORY_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FLAT_BASE 0x10000u
#define FLAT_PAGE_BYTES 4096

struct flat_memory {
	const uint8_t *data;
	size_t size;
};

/* As target_reader.read: behind the bytes given there are zeros to the end of the last page. */
static inline int flat_memory_read(void *ctx, uint64_t address, void *dst, size_t len)
{
	const struct flat_memory *m = ctx;
	uint64_t from = address - FLAT_BASE, end = from + len;

	if (address < FLAT_BASE || end < from ||
	    end > (m->size + FLAT_PAGE_BYTES - 1) / FLAT_PAGE_BYTES * FLAT_PAGE_BYTES)
		return -EFAULT;
	memset(dst, 0, len);
	if (from < m->size)
		memcpy(dst, m->data + from, len < m->size - from ? len : m->size - from);
	return 0;
}

#endif
