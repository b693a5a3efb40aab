/* SPDX-License-Identifier: Apache-2.0 */
/* Any memory: its first byte says which version it is read as, the others are what lies there. */
#include "resolve/thread_names.h"

#include "base/utf8.h"
#include "flat_memory.h"

#include <string.h>

#define FIRST_IDENT 0x7f1234567000ull
#define TABLE_BYTES 1024

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned int minor = size ? 8 + data[0] % 9 : 8;
	struct flat_memory memory = { data + 1, size ? size - 1 : 0 };
	struct target_reader reader = { .read = flat_memory_read, .ctx = &memory };
	struct sp_pylayout at = { .version = 3u << 24 | minor << 16 | 0xf0,
				  .runtime_interpreters_head = minor < 13 ? 0 : TABLE_BYTES,
				  .object_type = 8,
				  .unicode_length = 16,
				  .unicode_state = 32,
				  .ascii_size = minor < 12 ? 48 : 40,
				  .compact_size = minor < 12 ? 72 : 56,
				  .unicode_kind = 2,
				  .is_free_threaded = size && data[0] & 128 };
	OWNS(thread_names) struct thread_names *n = thread_names_new(FLAT_BASE, &at);
	const char *name;

	if (!n || !size)
		return 0;
	for (int i = 0; i < 2; i++) {
		(void)thread_names_read(n, &reader);
		name = thread_names_find(n, FIRST_IDENT);
		if (name && (!*name || !utf8_is_valid(name, strlen(name)) ||
			     strlen(name) > 4 * (THREAD_NAMES_MOST_CHARS + 1)))
			abort();
	}
	return 0;
}
