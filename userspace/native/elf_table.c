/* SPDX-License-Identifier: Apache-2.0 */
/* Which symbols perf takes: tools/perf/util/symbol-elf.c of Linux 6.1. */
#include "native/elf_table.h"

#include <string.h>

#define STUB_BYTES 16 /* on x86, for linkers that do not say: lld */

/* Whether the section holds code or data, as perf tells it: by its name. */
static bool may_have_labels(const struct elf_bytes *e, const struct elf_strings *names,
			    uint32_t section)
{
	const char *name;
	Elf64_Shdr s;

	if (!elf_bytes_section(e, section, &s))
		return false;
	name = elf_strings_get(names, s.sh_name);
	return name && (strstr(name, "text") || strstr(name, "data"));
}

/* ARM marks where code and data begin, thousands of times. */
static bool is_mark(const struct elf_bytes *e, const char *name)
{
	return (e->head.e_machine == EM_ARM || e->head.e_machine == EM_AARCH64) && name[0] == '$' &&
	       name[1] && strchr("adtx", name[1]) && (!name[2] || name[2] == '.');
}

static bool is_label(const Elf64_Sym *sym)
{
	uint8_t seen = ELF64_ST_VISIBILITY(sym->st_other);

	return ELF64_ST_TYPE(sym->st_info) == STT_NOTYPE && seen != STV_HIDDEN &&
	       seen != STV_INTERNAL;
}

static bool is_taken(const struct elf_bytes *e, const struct elf_strings *sections,
		     const Elf64_Sym *sym, const char *name)
{
	if (!sym->st_name || !name || !*name || sym->st_shndx == SHN_UNDEF ||
	    (sym->st_shndx >= SHN_LORESERVE && sym->st_shndx != SHN_XINDEX))
		return false;
	switch (ELF64_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
	case STT_OBJECT:
		return true;
	default:
		return is_label(sym) && !is_mark(e, name) &&
		       may_have_labels(e, sections, sym->st_shndx);
	}
}

/* The lowest bit of a Thumb function's address is none of it. */
static uint64_t start_of(const struct elf_bytes *e, const Elf64_Sym *sym)
{
	bool is_marked = e->head.e_machine == EM_ARM && ELF64_ST_TYPE(sym->st_info) == STT_FUNC;

	return is_marked ? sym->st_value & ~1ull : sym->st_value;
}

static int add_symbols(struct symbol_table *t, const struct elf_bytes *e, const Elf64_Shdr *table)
{
	struct elf_strings names = elf_bytes_strings(e, table->sh_link);
	struct elf_strings sections = elf_bytes_strings(e, e->names);
	Elf64_Sym sym;
	int err = 0;

	for (uint64_t i = 0; !err && elf_bytes_symbol(e, table, i, &sym); i++) {
		const char *name = elf_strings_get(&names, sym.st_name);
		struct symbol s = { .name = name, .binding = ELF64_ST_BIND(sym.st_info) };

		if (!is_taken(e, &sections, &sym, name))
			continue;
		s.start = start_of(e, &sym);
		if (__builtin_add_overflow(s.start, sym.st_size, &s.end))
			s.end = UINT64_MAX;
		err = symbol_table_add(t, &s);
	}
	return err;
}

/* The first section of @type; or called @name, unless that is NULL. */
static bool find_section(const struct elf_bytes *e, uint32_t type, const char *name,
			 Elf64_Shdr *out)
{
	struct elf_strings names = elf_bytes_strings(e, e->names);

	for (uint32_t i = 1; elf_bytes_section(e, i, out); i++) {
		const char *its = elf_strings_get(&names, out->sh_name);

		if (out->sh_type == type && (!name || (its && !strcmp(its, name))))
			return true;
	}
	return false;
}

/* The symbol that relocation @i of @rel is about. */
static bool relocated(const struct elf_bytes *e, const Elf64_Shdr *rel, uint64_t i,
		      const Elf64_Shdr *dynsym, Elf64_Sym *out)
{
	uint64_t word = e->is_64 ? 8 : 4;
	uint64_t size = word * (rel->sh_type == SHT_RELA ? 3 : 2);
	const uint8_t *at;

	if (i >= rel->sh_size / size || i > e->len || rel->sh_offset > e->len)
		return false;
	at = elf_bytes_at(e, rel->sh_offset + i * size, size);
	if (!at)
		return false;
	if (!e->is_64)
		return elf_bytes_symbol(e, dynsym, ELF32_R_SYM(elf_bytes_word(e, at + 4)), out);
	/* The upper half of 64 bits, wherever that is. */
	at += e->head.e_ident[EI_DATA] == ELFDATA2MSB ? 8 : 12;
	return elf_bytes_symbol(e, dynsym, elf_bytes_word(e, at), out);
}

/*
 * One for each relocation, in their order, behind @skipped entries of the linker's own. That
 * of a function which the library chooses for itself has no name.
 */
static int add_stubs(struct symbol_table *t, const struct elf_bytes *e, const Elf64_Shdr *plt,
		     uint32_t skipped, const Elf64_Shdr *dynsym)
{
	struct elf_strings names = elf_bytes_strings(e, dynsym->sh_link);
	uint64_t size = plt->sh_entsize ? plt->sh_entsize : STUB_BYTES;
	Elf64_Shdr rel;
	Elf64_Sym sym;
	int err = 0;

	if (!find_section(e, SHT_RELA, ".rela.plt", &rel) &&
	    !find_section(e, SHT_REL, ".rel.plt", &rel))
		return 0;
	for (uint64_t i = 0; !err && relocated(e, &rel, i, dynsym, &sym); i++) {
		const char *name = elf_strings_get(&names, sym.st_name);
		struct symbol s = { .name = name, .binding = STB_GLOBAL, .is_stub = true };

		if (i + skipped >= plt->sh_size / size)
			break;
		s.start = plt->sh_addr + (i + skipped) * size;
		s.end = s.start + size;
		if (name && s.end > s.start)
			err = symbol_table_add(t, &s);
	}
	return err;
}

/* Where calls and returns are checked (IBT), .plt.sec has what is called. */
static int add_all_stubs(struct symbol_table *t, const struct elf_bytes *e,
			 const Elf64_Shdr *dynsym)
{
	Elf64_Shdr plt;
	int err = 0;

	if (find_section(e, SHT_PROGBITS, ".plt", &plt))
		err = add_stubs(t, e, &plt, 1, dynsym);
	if (!err && find_section(e, SHT_PROGBITS, ".plt.sec", &plt))
		err = add_stubs(t, e, &plt, 0, dynsym);
	return err;
}

int elf_table_fill(struct symbol_table *t, const struct elf_bytes *e, bool *is_stripped)
{
	Elf64_Shdr table;
	int err = 0;

	*is_stripped = !find_section(e, SHT_SYMTAB, NULL, &table);
	if (!*is_stripped)
		err = add_symbols(t, e, &table);
	if (err || !find_section(e, SHT_DYNSYM, NULL, &table))
		return err;
	err = add_symbols(t, e, &table);
	return err ? err : add_all_stubs(t, e, &table);
}
