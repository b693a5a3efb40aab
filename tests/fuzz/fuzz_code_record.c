/* SPDX-License-Identifier: Apache-2.0 */
/* Any record of the ring's size check is legal input; no process is there to ask. */
#include "resolve/code_table.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t versions[] = { 0x030800f0, 0x030a00f0, 0x030b00f0, 0x030d00f0 };
	struct sp_pylayout layout = { .version = versions[size % 4] };
	OWNS(code_table) struct code_table *t = NULL;
	OWNS_MEM struct sp_code *record = NULL;
	const struct code_entry *e;

	if (size < sizeof(*record) || size > UINT32_MAX)
		return 0;
	record = malloc(size); /* exactly, so that a byte too many is seen */
	t = code_table_new(0, &layout);
	if (!record || !t)
		return 0;
	memcpy(record, data, size);
	record->head.size = size; /* collect/ has made sure of it */
	if (code_table_learn(t, record))
		return 0;
	e = code_table_find(t, record->code, record->key);
	for (uint32_t i = 0; e && i < 64; i++)
		if (code_entry_line(e, i - 1) > INT32_MAX || strlen(e->name) > 4 * 1024)
			abort();
	return 0;
}
