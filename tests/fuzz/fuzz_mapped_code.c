/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes are a process's memory in which two files are said to be mapped. */
#include "resolve/function_extent.h"
#include "resolve/link_order.h"

#include "flat_memory.h"

#define SECOND 0x1000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct flat_memory flat = { data, len };
	struct target_reader memory = { .read = flat_memory_read, .ctx = &flat };
	struct code_mapping rows[] = {
		{ { .start = FLAT_BASE, .end = FLAT_BASE + SECOND, .path = "" }, FLAT_BASE },
		{ { .start = FLAT_BASE + SECOND, .end = FLAT_BASE + 2 * SECOND, .path = "" },
		  FLAT_BASE + SECOND },
	};
	const struct code_map code = { .rows = rows, .count = 2 };
	struct function_extent extent;
	struct exports x;

	for (uint64_t at = 0; at < len; at += 64)
		if (!function_extent_find(&memory, FLAT_BASE, FLAT_BASE + at, &extent) &&
		    FLAT_BASE + at - extent.start >= extent.bytes)
			__builtin_trap();
	(void)link_order_find(&memory, &code, "malloc", &x);
	return 0;
}
