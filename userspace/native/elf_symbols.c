/* SPDX-License-Identifier: Apache-2.0 */
#include "native/elf_symbols.h"

#include "native/elf_table.h"

#include <errno.h>

#define LOADS_MOST 64

struct elf_symbols {
	struct symbol_table table;
	bool is_stripped;
	struct load {
		uint64_t offset, bytes, address;
	} loads[LOADS_MOST];
	uint32_t load_count;
};

void elf_symbols_free(struct elf_symbols *s)
{
	if (!s)
		return;
	symbol_table_fini(&s->table);
	free(s);
}

/* Code first: the same bytes of a file may be mapped twice. */
static void take_loads(struct elf_symbols *s, const struct elf_bytes *e, bool is_code)
{
	Elf64_Phdr p;

	for (uint32_t i = 0; s->load_count < LOADS_MOST && elf_bytes_segment(e, i, &p); i++)
		if (p.p_type == PT_LOAD && !(p.p_flags & PF_X) == !is_code)
			s->loads[s->load_count++] =
				(struct load){ p.p_offset, p.p_filesz, p.p_vaddr };
}

struct elf_symbols *elf_symbols_new(const void *image, size_t len, int *err)
{
	OWNS(elf_symbols) struct elf_symbols *s = calloc(1, sizeof(*s));
	struct elf_bytes e;

	*err = s ? elf_bytes_init(&e, image, len) : -ENOMEM;
	if (*err)
		return NULL;
	take_loads(s, &e, true);
	take_loads(s, &e, false);
	*err = elf_table_fill(&s->table, &e, &s->is_stripped);
	if (!*err)
		*err = symbol_table_finish(&s->table);
	return *err ? NULL : TAKE(s);
}

uint64_t elf_symbols_address(const struct elf_symbols *s, uint64_t offset)
{
	for (uint32_t i = 0; i < s->load_count; i++)
		if (offset - s->loads[i].offset < s->loads[i].bytes)
			return offset - s->loads[i].offset + s->loads[i].address;
	return UINT64_MAX;
}

uint32_t elf_symbols_find(const struct elf_symbols *s, uint64_t address)
{
	return symbol_table_find(&s->table, address);
}

uint32_t elf_symbols_count(const struct elf_symbols *s)
{
	return s->table.count;
}

const char *elf_symbols_name(const struct elf_symbols *s, uint32_t symbol)
{
	return s->table.rows[symbol].name;
}

bool elf_symbols_is_stub(const struct elf_symbols *s, uint32_t symbol)
{
	return s->table.rows[symbol].is_stub;
}

bool elf_symbols_is_stripped(const struct elf_symbols *s)
{
	return s->is_stripped;
}

size_t elf_symbols_bytes(const struct elf_symbols *s)
{
	return sizeof(*s) + symbol_table_bytes(&s->table);
}
