/* SPDX-License-Identifier: Apache-2.0 */
#include "native/elf_bytes.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#define SECTIONS_MOST 65536 /* -ffunction-sections makes many, but of programs, not objects */
#define SEGMENTS_MOST 4096

static uint64_t ordered(const struct elf_bytes *e, uint64_t value, size_t size)
{
	if (!e->is_swapped || size == 1)
		return value;
	if (size == 2)
		return __builtin_bswap16(value);
	return size == 4 ? __builtin_bswap32(value) : __builtin_bswap64(value);
}

/* Field @f of a structure of the file in one of ours, whatever their widths. */
#define TAKE_FIELD(e, to, from, f) ((to)->f = ordered(e, (from)->f, sizeof((from)->f)))

const void *elf_bytes_at(const struct elf_bytes *e, uint64_t offset, uint64_t len)
{
	return offset <= e->len && len <= e->len - offset ? e->data + offset : NULL;
}

static bool copy_at(const struct elf_bytes *e, uint64_t offset, void *out, size_t len)
{
	const void *at = elf_bytes_at(e, offset, len);

	if (at)
		memcpy(out, at, len);
	return at != NULL;
}

uint32_t elf_bytes_word(const struct elf_bytes *e, const void *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return ordered(e, word, sizeof(word));
}

#define TAKE_HEAD(e, to, from)                        \
	do {                                          \
		TAKE_FIELD(e, to, from, e_type);      \
		TAKE_FIELD(e, to, from, e_machine);   \
		TAKE_FIELD(e, to, from, e_phoff);     \
		TAKE_FIELD(e, to, from, e_shoff);     \
		TAKE_FIELD(e, to, from, e_phentsize); \
		TAKE_FIELD(e, to, from, e_phnum);     \
		TAKE_FIELD(e, to, from, e_shentsize); \
		TAKE_FIELD(e, to, from, e_shnum);     \
		TAKE_FIELD(e, to, from, e_shstrndx);  \
	} while (0)

static bool take_head(struct elf_bytes *e)
{
	union {
		Elf32_Ehdr narrow;
		Elf64_Ehdr wide;
	} h;

	if (!copy_at(e, 0, &h, e->is_64 ? sizeof(h.wide) : sizeof(h.narrow)))
		return false;
	if (e->is_64)
		TAKE_HEAD(e, &e->head, &h.wide);
	else
		TAKE_HEAD(e, &e->head, &h.narrow);
	return true;
}

#define TAKE_SECTION(e, to, from)                      \
	do {                                           \
		TAKE_FIELD(e, to, from, sh_name);      \
		TAKE_FIELD(e, to, from, sh_type);      \
		TAKE_FIELD(e, to, from, sh_flags);     \
		TAKE_FIELD(e, to, from, sh_addr);      \
		TAKE_FIELD(e, to, from, sh_offset);    \
		TAKE_FIELD(e, to, from, sh_size);      \
		TAKE_FIELD(e, to, from, sh_link);      \
		TAKE_FIELD(e, to, from, sh_info);      \
		TAKE_FIELD(e, to, from, sh_addralign); \
		TAKE_FIELD(e, to, from, sh_entsize);   \
	} while (0)

size_t elf_bytes_section_size(const struct elf_bytes *e)
{
	return e->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
}

bool elf_bytes_section(const struct elf_bytes *e, uint32_t i, Elf64_Shdr *out)
{
	uint64_t size = elf_bytes_section_size(e);
	union {
		Elf32_Shdr narrow;
		Elf64_Shdr wide;
	} s;

	if (i >= e->sections || !copy_at(e, e->head.e_shoff + i * size, &s, size))
		return false;
	if (e->is_64)
		TAKE_SECTION(e, out, &s.wide);
	else
		TAKE_SECTION(e, out, &s.narrow);
	return true;
}

#define TAKE_SEGMENT(e, to, from)                  \
	do {                                       \
		TAKE_FIELD(e, to, from, p_type);   \
		TAKE_FIELD(e, to, from, p_flags);  \
		TAKE_FIELD(e, to, from, p_offset); \
		TAKE_FIELD(e, to, from, p_vaddr);  \
		TAKE_FIELD(e, to, from, p_paddr);  \
		TAKE_FIELD(e, to, from, p_filesz); \
		TAKE_FIELD(e, to, from, p_memsz);  \
		TAKE_FIELD(e, to, from, p_align);  \
	} while (0)

size_t elf_bytes_segment_size(const struct elf_bytes *e)
{
	return e->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
}

bool elf_bytes_segment(const struct elf_bytes *e, uint32_t i, Elf64_Phdr *out)
{
	uint64_t size = elf_bytes_segment_size(e);
	union {
		Elf32_Phdr narrow;
		Elf64_Phdr wide;
	} p;

	if (i >= e->segments || !copy_at(e, e->head.e_phoff + i * size, &p, size))
		return false;
	if (e->is_64)
		TAKE_SEGMENT(e, out, &p.wide);
	else
		TAKE_SEGMENT(e, out, &p.narrow);
	return true;
}

#define TAKE_SYMBOL(e, to, from)                   \
	do {                                       \
		TAKE_FIELD(e, to, from, st_name);  \
		TAKE_FIELD(e, to, from, st_info);  \
		TAKE_FIELD(e, to, from, st_other); \
		TAKE_FIELD(e, to, from, st_shndx); \
		TAKE_FIELD(e, to, from, st_value); \
		TAKE_FIELD(e, to, from, st_size);  \
	} while (0)

bool elf_bytes_symbol(const struct elf_bytes *e, const Elf64_Shdr *table, uint64_t i,
		      Elf64_Sym *out)
{
	uint64_t size = e->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	union {
		Elf32_Sym narrow;
		Elf64_Sym wide;
	} s;

	if (i >= table->sh_size / size || i > e->len || table->sh_offset > e->len ||
	    !copy_at(e, table->sh_offset + i * size, &s, size))
		return false;
	if (e->is_64)
		TAKE_SYMBOL(e, out, &s.wide);
	else
		TAKE_SYMBOL(e, out, &s.narrow);
	return true;
}

/* Entries of @size bytes that the file has at @offset. */
static uint64_t room_for(const struct elf_bytes *e, uint64_t offset, uint64_t size)
{
	return offset && offset < e->len ? (e->len - offset) / size : 0;
}

/* Where there are too many for the header's two bytes, the first section has the numbers. */
static void take_counts(struct elf_bytes *e)
{
	uint64_t most = room_for(e, e->head.e_shoff, elf_bytes_section_size(e));
	Elf64_Shdr first = { 0 };
	uint64_t count = e->head.e_shnum;

	if (most > SECTIONS_MOST)
		most = SECTIONS_MOST;
	e->sections = most ? 1 : 0;
	(void)elf_bytes_section(e, 0, &first);
	e->names = e->head.e_shstrndx == SHN_XINDEX ? first.sh_link : e->head.e_shstrndx;
	if (!count)
		count = first.sh_size;
	e->sections = count < most ? count : most;
	most = room_for(e, e->head.e_phoff, elf_bytes_segment_size(e));
	if (most > SEGMENTS_MOST)
		most = SEGMENTS_MOST;
	e->segments = e->head.e_phnum < most ? e->head.e_phnum : most;
}

static bool is_known(const struct elf_bytes *e)
{
	return (!e->head.e_phnum || e->head.e_phentsize == elf_bytes_segment_size(e)) &&
	       (!e->head.e_shoff || e->head.e_shentsize == elf_bytes_section_size(e));
}

int elf_bytes_init(struct elf_bytes *e, const void *image, size_t len)
{
	const uint8_t *ident = image;
	uint8_t native = __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;

	if (len < EI_NIDENT || memcmp(ident, ELFMAG, SELFMAG) ||
	    (ident[EI_CLASS] != ELFCLASS32 && ident[EI_CLASS] != ELFCLASS64) ||
	    (ident[EI_DATA] != ELFDATA2LSB && ident[EI_DATA] != ELFDATA2MSB))
		return -EBADMSG;
	*e = (struct elf_bytes){ .data = image,
				 .len = len,
				 .is_64 = ident[EI_CLASS] == ELFCLASS64,
				 .is_swapped = ident[EI_DATA] != native };
	memcpy(e->head.e_ident, ident, EI_NIDENT);
	if (!take_head(e) || !is_known(e))
		return -EBADMSG;
	take_counts(e);
	return 0;
}

struct elf_strings elf_bytes_strings(const struct elf_bytes *e, uint32_t section)
{
	struct elf_strings none = { 0 };
	const char *at, *last;
	Elf64_Shdr s;

	if (!elf_bytes_section(e, section, &s) || s.sh_type != SHT_STRTAB)
		return none;
	if (s.sh_offset < e->len && s.sh_size > e->len - s.sh_offset)
		s.sh_size = e->len - s.sh_offset;
	at = elf_bytes_at(e, s.sh_offset, s.sh_size);
	last = at ? memrchr(at, '\0', s.sh_size) : NULL;
	return last ? (struct elf_strings){ at, last + 1 - at } : none;
}
