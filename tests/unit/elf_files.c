/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/elf_files.h"

#include <string.h>

#define SEGMENTS 2

struct file {
	struct buffer *out;
	const struct elf_recipe *recipe;
};

/* @bytes of a number in the file's order. */
static void put(struct file *f, uint64_t value, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++) {
		uint32_t at = f->recipe->is_big_endian ? bytes - 1 - i : i;
		uint8_t byte = value >> (8 * at);

		buffer_add(f->out, &byte, 1);
	}
}

/* A word of the class: an address, an offset, a size. */
static void put_word(struct file *f, uint64_t value)
{
	put(f, value, f->recipe->is_32 ? 4 : 8);
}

static size_t size_of(const struct elf_recipe *r, size_t narrow, size_t wide)
{
	return r->is_32 ? narrow : wide;
}

#define SIZE_OF(r, what) size_of(r, sizeof(Elf32_##what), sizeof(Elf64_##what))

size_t elf_section_offset(const struct elf_recipe *r, uint32_t section)
{
	return SIZE_OF(r, Ehdr) + SEGMENTS * SIZE_OF(r, Phdr) + section * SIZE_OF(r, Shdr);
}

static void put_head(struct file *f)
{
	const struct elf_recipe *r = f->recipe;
	uint8_t ident[EI_NIDENT] = { 0x7f,
				     'E',
				     'L',
				     'F',
				     r->is_32 ? ELFCLASS32 : ELFCLASS64,
				     r->is_big_endian ? ELFDATA2MSB : ELFDATA2LSB,
				     EV_CURRENT };

	buffer_add(f->out, ident, sizeof(ident));
	put(f, ET_DYN, 2);
	put(f, r->machine ? r->machine : EM_X86_64, 2);
	put(f, EV_CURRENT, 4);
	put_word(f, 0);
	put_word(f, SIZE_OF(r, Ehdr));
	put_word(f, elf_section_offset(r, 0));
	put(f, 0, 4);
	put(f, SIZE_OF(r, Ehdr), 2);
	put(f, SIZE_OF(r, Phdr), 2);
	put(f, SEGMENTS, 2);
	put(f, SIZE_OF(r, Shdr), 2);
	put(f, SECTIONS, 2);
	put(f, IN_NAMES, 2);
}

static void put_segment(struct file *f, uint32_t flags, uint64_t offset, uint64_t address,
			uint64_t bytes)
{
	put(f, PT_LOAD, 4);
	if (!f->recipe->is_32)
		put(f, flags, 4);
	put_word(f, offset);
	put_word(f, address);
	put_word(f, address);
	put_word(f, bytes);
	put_word(f, bytes);
	if (f->recipe->is_32)
		put(f, flags, 4);
	put_word(f, 0x1000);
}

/* What is in the file so far lies in one block behind the headers. */
struct section {
	const char *name;
	uint32_t type, link, info;
	uint64_t flags, address, offset, bytes, entry;
};

static void put_section(struct file *f, uint64_t name, const struct section *s)
{
	put(f, name, 4);
	put(f, s->type, 4);
	put_word(f, s->flags);
	put_word(f, s->address);
	put_word(f, s->offset);
	put_word(f, s->bytes);
	put(f, s->link, 4);
	put(f, s->info, 4);
	put_word(f, 4);
	put_word(f, s->entry);
}

static void put_symbol(struct file *f, const struct elf_row *row, uint32_t name)
{
	uint8_t info = ELF64_ST_INFO(row->binding, row->type);

	put(f, name, 4);
	if (f->recipe->is_32) {
		put(f, row->value, 4);
		put(f, row->size, 4);
	}
	put(f, info, 1);
	put(f, row->visibility, 1);
	put(f, row->section, 2);
	if (!f->recipe->is_32) {
		put(f, row->value, 8);
		put(f, row->size, 8);
	}
}

/* Symbols and their names; both sections begin where the file ends before. */
static void put_symbols(struct file *f, const struct elf_row *rows, uint64_t base,
			struct section *symbols, struct section *strings)
{
	uint32_t name = 1;

	symbols->offset = base + f->out->len;
	put_symbol(f, &(struct elf_row){ 0 }, 0);
	for (const struct elf_row *row = rows; row->name; row++) {
		put_symbol(f, row, name);
		name += strlen(row->name) + 1;
	}
	symbols->bytes = base + f->out->len - symbols->offset;
	strings->offset = base + f->out->len;
	put(f, 0, 1);
	for (const struct elf_row *row = rows; row->name; row++)
		buffer_add(f->out, row->name, strlen(row->name) + 1);
	strings->bytes = base + f->out->len - strings->offset;
}

static void put_note(struct file *f, uint64_t base, struct section *note)
{
	size_t len = strlen(f->recipe->build_id);

	note->offset = base + f->out->len;
	put(f, 4, 4);
	put(f, len, 4);
	put(f, NT_GNU_BUILD_ID, 4);
	buffer_add(f->out, "GNU", 4);
	buffer_add(f->out, f->recipe->build_id, len);
	note->bytes = base + f->out->len - note->offset;
}

static void put_relocations(struct file *f, uint64_t base, struct section *rela)
{
	rela->offset = base + f->out->len;
	for (uint32_t i = 1; i <= f->recipe->stubs; i++) {
		put_word(f, 0);
		if (f->recipe->is_32)
			put(f, ELF32_R_INFO(i, R_386_JMP_SLOT), 4);
		else
			put(f, ELF64_R_INFO((uint64_t)i, R_X86_64_JUMP_SLOT), 8);
		put_word(f, 0);
	}
	rela->bytes = base + f->out->len - rela->offset;
}

static const struct section layout[SECTIONS] = {
	[IN_TEXT] = { .name = ".text",
		      .type = SHT_PROGBITS,
		      .address = CODE_ADDRESS,
		      .offset = CODE_OFFSET,
		      .bytes = CODE_BYTES },
	[IN_DATA] = { .name = ".data", .type = SHT_PROGBITS },
	[IN_NOTE] = { .name = ".note.gnu.build-id", .type = SHT_NOTE },
	[IN_SYMTAB] = { .name = ".symtab", .type = SHT_SYMTAB, .link = IN_STRTAB },
	[IN_STRTAB] = { .name = ".strtab", .type = SHT_STRTAB },
	[IN_DYNSYM] = { .name = ".dynsym", .type = SHT_DYNSYM, .link = IN_DYNSTR },
	[IN_DYNSTR] = { .name = ".dynstr", .type = SHT_STRTAB },
	[IN_NAMES] = { .name = ".shstrtab", .type = SHT_STRTAB },
	[IN_PLT] = { .name = ".plt",
		     .type = SHT_PROGBITS,
		     .address = PLT_ADDRESS,
		     .entry = PLT_ENTRY },
	[IN_RELA] = { .name = ".rela.plt",
		      .type = SHT_RELA,
		      .link = IN_DYNSYM,
		      .info = IN_PLT,
		      .flags = SHF_ALLOC },
	[IN_OTHER] = { .name = ".other", .type = SHT_PROGBITS },
};

/* Contents behind the headers, which begin at @base. */
static void put_contents(struct file *f, uint64_t base, struct section *s)
{
	if (f->recipe->symtab)
		put_symbols(f, f->recipe->symtab, base, &s[IN_SYMTAB], &s[IN_STRTAB]);
	else
		s[IN_SYMTAB].type = SHT_NULL;
	if (f->recipe->dynsym)
		put_symbols(f, f->recipe->dynsym, base, &s[IN_DYNSYM], &s[IN_DYNSTR]);
	else
		s[IN_DYNSYM].type = SHT_NULL;
	if (f->recipe->build_id)
		put_note(f, base, &s[IN_NOTE]);
	put_relocations(f, base, &s[IN_RELA]);
	s[IN_PLT].bytes = (f->recipe->stubs + 1) * PLT_ENTRY;
	s[IN_NAMES].offset = base + f->out->len;
	put(f, 0, 1);
	for (uint32_t i = 1; i < SECTIONS; i++)
		buffer_add(f->out, s[i].name, strlen(s[i].name) + 1);
	s[IN_NAMES].bytes = base + f->out->len - s[IN_NAMES].offset;
}

void elf_make(struct buffer *out, const struct elf_recipe *recipe)
{
	struct buffer contents = { 0 };
	struct file f = { .out = &contents, .recipe = recipe };
	struct section sections[SECTIONS];
	uint64_t name = 1;

	memcpy(sections, layout, sizeof(sections));
	put_contents(&f, elf_section_offset(recipe, SECTIONS), sections);
	f.out = out;
	put_head(&f);
	put_segment(&f, PF_R, 0, CODE_ADDRESS - CODE_OFFSET, CODE_OFFSET);
	put_segment(&f, PF_R | PF_X, CODE_OFFSET, CODE_ADDRESS, CODE_BYTES);
	put_section(&f, 0, &sections[0]);
	for (uint32_t i = 1; i < SECTIONS; i++) {
		put_section(&f, name, &sections[i]);
		name += strlen(sections[i].name) + 1;
	}
	buffer_add(out, contents.data, contents.len);
	buffer_fini(&contents);
}
