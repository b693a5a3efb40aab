/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes are a file; a name that is found ends, and its parts are not endless. */
#include "native/elf_symbols.h"

#include <errno.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* Headers, then one a segment and one a section. */
#define PARTS_MOST (4 + 4096 + 65536)

static void expect_ends(const uint8_t *data, size_t len)
{
	struct elf_part part;
	uint32_t i = 0;

	while (elf_symbols_part(data, len, i, &part))
		if (++i > PARTS_MOST)
			abort();
}

static void expect_name_ends(const struct elf_symbols *s, uint64_t address, const uint8_t *end)
{
	uint32_t i = elf_symbols_find(s, address);

	if (i == NO_SYMBOL)
		return;
	if (i >= elf_symbols_count(s))
		abort();
	if (elf_symbols_name(s, i) + strlen(elf_symbols_name(s, i)) >= (const char *)end)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	OWNS(elf_symbols) struct elf_symbols *s = NULL;
	struct build_id id;
	int err = 0;

	expect_ends(data, len);
	if (elf_build_id(data, len, &id) && (!id.len || id.len > BUILD_ID_MAX))
		abort();
	s = elf_symbols_new(data, len, &err);
	if (!s != (err == -EBADMSG))
		abort();
	if (!s)
		return 0;
	for (uint64_t i = 0; i < 64; i++) {
		expect_name_ends(s, elf_symbols_address(s, i * 64), data + len);
		expect_name_ends(s, UINT64_MAX >> i, data + len);
	}
	return 0;
}
