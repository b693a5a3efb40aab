/* SPDX-License-Identifier: Apache-2.0 */
/* What of an ELF file is read to know its symbols, and its build-id. */
#include "native/elf_bytes.h"
#include "native/elf_notes.h"

#include <string.h>

/* Headers of segments, the first section's, which may count them, and all of them. */
#define PARTS_BEFORE_SEGMENTS 4

static bool is_needed(const Elf64_Shdr *s)
{
	switch (s->sh_type) {
	case SHT_SYMTAB:
	case SHT_DYNSYM:
	case SHT_STRTAB:
	case SHT_NOTE:
		return true;
	case SHT_RELA: /* .rela.plt, but neither .rela.dyn nor the linker's own */
	case SHT_REL:
		return s->sh_info && (s->sh_flags & SHF_ALLOC);
	default:
		return false;
	}
}

static void segment_part(const struct elf_bytes *e, uint32_t i, struct elf_part *out)
{
	Elf64_Phdr p;

	if (elf_bytes_segment(e, i, &p) && p.p_type == PT_NOTE)
		*out = (struct elf_part){ p.p_offset, p.p_filesz };
}

static void section_part(const struct elf_bytes *e, uint32_t i, struct elf_part *out)
{
	Elf64_Shdr s;

	if (elf_bytes_section(e, i, &s) && is_needed(&s))
		*out = (struct elf_part){ s.sh_offset, s.sh_size };
}

bool elf_symbols_part(const void *image, size_t len, uint32_t i, struct elf_part *out)
{
	struct elf_bytes e;

	*out = (struct elf_part){ 0, sizeof(Elf64_Ehdr) };
	if (!i)
		return true;
	if (elf_bytes_init(&e, image, len))
		return false;
	*out = (struct elf_part){ 0, 0 };
	if (i == 1)
		*out = (struct elf_part){ e.head.e_phoff, e.segments * elf_bytes_segment_size(&e) };
	else if (i == 2)
		*out = (struct elf_part){ e.head.e_shoff, elf_bytes_section_size(&e) };
	else if (i == 3)
		*out = (struct elf_part){ e.head.e_shoff, e.sections * elf_bytes_section_size(&e) };
	else if (i - PARTS_BEFORE_SEGMENTS < e.segments)
		segment_part(&e, i - PARTS_BEFORE_SEGMENTS, out);
	else if (i - PARTS_BEFORE_SEGMENTS - e.segments < e.sections)
		section_part(&e, i - PARTS_BEFORE_SEGMENTS - e.segments, out);
	else
		return false;
	return true;
}

static bool notes_at(const struct elf_bytes *e, uint64_t offset, uint64_t len, uint64_t align,
		     struct build_id *out)
{
	const void *notes = elf_bytes_at(e, offset, len);

	return notes && elf_notes_build_id(notes, len, align == 8 ? 8 : 4, e->is_swapped, out);
}

/* In a file of debugging symbols the segments are those of the program, and lead nowhere. */
bool elf_build_id(const void *image, size_t len, struct build_id *out)
{
	struct elf_bytes e;
	Elf64_Shdr s;
	Elf64_Phdr p;

	if (elf_bytes_init(&e, image, len))
		return false;
	for (uint32_t i = 0; elf_bytes_section(&e, i, &s); i++)
		if (s.sh_type == SHT_NOTE &&
		    notes_at(&e, s.sh_offset, s.sh_size, s.sh_addralign, out))
			return true;
	for (uint32_t i = 0; elf_bytes_segment(&e, i, &p); i++)
		if (p.p_type == PT_NOTE && notes_at(&e, p.p_offset, p.p_filesz, p.p_align, out))
			return true;
	return false;
}

bool build_id_is(const struct build_id *a, const struct build_id *b)
{
	uint8_t x[BUILD_ID_MAX] = { 0 }, y[BUILD_ID_MAX] = { 0 };

	memcpy(x, a->bytes, a->len);
	memcpy(y, b->bytes, b->len);
	return a->len && b->len && !memcmp(x, y, sizeof(x));
}
