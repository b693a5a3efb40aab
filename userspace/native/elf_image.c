/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The few tables of an ELF file that tell a Python, read through bounds-checked copies:
 * the file may be a container's, made to crash whoever parses it.
 */
#include "native/elf_image.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#define SECTIONS_MOST 4096
#define TEXTS_MOST (64 << 20) /* a Python's are less than 1 MB */
#define SYMBOLS_MOST 4000000  /* of all tables together: these may all lie on the same bytes */

struct image {
	const uint8_t *data;
	size_t len;
	Elf64_Ehdr head;
};

/* @len bytes at @offset, or NULL if the file does not have them. */
static const void *bytes_at(const struct image *im, uint64_t offset, uint64_t len)
{
	return offset <= im->len && len <= im->len - offset ? im->data + offset : NULL;
}

static bool copy_at(const struct image *im, uint64_t offset, void *out, size_t len)
{
	const void *at = bytes_at(im, offset, len);

	if (at)
		memcpy(out, at, len);
	return at != NULL;
}

static bool section(const struct image *im, uint32_t i, Elf64_Shdr *out)
{
	return i < im->head.e_shnum && i < SECTIONS_MOST &&
	       copy_at(im, im->head.e_shoff + (uint64_t)i * sizeof(*out), out, sizeof(*out));
}

/* Whether the string at @offset of a string table is @name. */
static bool is_name(const struct image *im, const Elf64_Shdr *strings, uint32_t offset,
		    const char *name)
{
	size_t len = strlen(name) + 1;
	const char *at;

	if (offset > strings->sh_size || len > strings->sh_size - offset)
		return false;
	at = bytes_at(im, strings->sh_offset + offset, len);
	return at && !memcmp(at, name, len);
}

struct symbols {
	uint64_t runtime, version; /* virtual addresses; 0: not there */
	uint32_t oldest;	   /* no Python before this Py_Version has all of the functions */
	uint32_t seen;		   /* symbols looked at */
	uint64_t texts_offset, texts_bytes;
};

/* Up to 3.10 no symbol holds the version, but each brought a function to its API. */
static uint32_t version_with(const struct image *im, const Elf64_Shdr *strings, uint32_t name)
{
	static const struct {
		const char *name;
		uint32_t version;
	} news[] = {
		{ "PyCode_NewWithPosOnlyArgs", 0x03080000 },
		{ "PyFrame_GetCode", 0x03090000 },
		{ "PyModule_AddObjectRef", 0x030a0000 },
	};

	for (size_t i = 0; i < sizeof(news) / sizeof(news[0]); i++)
		if (is_name(im, strings, name, news[i].name))
			return news[i].version;
	return 0;
}

static void take_symbols(const struct image *im, const Elf64_Shdr *table, struct symbols *out)
{
	uint64_t count = table->sh_size / sizeof(Elf64_Sym);
	Elf64_Shdr strings;
	Elf64_Sym sym;

	if (!section(im, table->sh_link, &strings))
		return;
	for (uint64_t i = 0; i < count && out->seen < SYMBOLS_MOST; i++, out->seen++) {
		uint32_t version;

		if (!copy_at(im, table->sh_offset + i * sizeof(sym), &sym, sizeof(sym)))
			return;
		if (sym.st_shndx == SHN_UNDEF || !sym.st_value)
			continue;
		if (is_name(im, &strings, sym.st_name, "_PyRuntime"))
			out->runtime = sym.st_value;
		else if (is_name(im, &strings, sym.st_name, "Py_Version"))
			out->version = sym.st_value;
		version = version_with(im, &strings, sym.st_name);
		if (version > out->oldest)
			out->oldest = version;
	}
}

static void take_sections(const struct image *im, struct symbols *out)
{
	Elf64_Shdr names = { 0 }, s;

	(void)section(im, im->head.e_shstrndx, &names);
	for (uint32_t i = 0; section(im, i, &s); i++) {
		if (s.sh_type == SHT_DYNSYM || s.sh_type == SHT_SYMTAB)
			take_symbols(im, &s, out);
		else if (!out->runtime && is_name(im, &names, s.sh_name, ".PyRuntime"))
			out->runtime = s.sh_addr;
		else if (s.sh_type == SHT_PROGBITS && is_name(im, &names, s.sh_name, ".rodata")) {
			out->texts_offset = s.sh_offset;
			out->texts_bytes = s.sh_size;
		}
	}
}

/* The program headers: where the file is loaded, and where in it a virtual address is. */
static int take_segments(const struct image *im, uint64_t version_addr, struct elf_python *out)
{
	bool has_load = false;
	Elf64_Phdr p;

	for (uint32_t i = 0; i < im->head.e_phnum; i++) {
		if (!copy_at(im, im->head.e_phoff + (uint64_t)i * sizeof(p), &p, sizeof(p)))
			return -EBADMSG;
		if (p.p_type == PT_INTERP)
			out->is_executable = true;
		if (p.p_type != PT_LOAD)
			continue;
		if (!has_load)
			out->first_load = p.p_vaddr & ~0xfffull;
		has_load = true;
		if (version_addr && version_addr >= p.p_vaddr &&
		    version_addr - p.p_vaddr < p.p_filesz &&
		    copy_at(im, p.p_offset + (version_addr - p.p_vaddr), &out->version,
			    sizeof(out->version)))
			out->version_offset = p.p_offset + (version_addr - p.p_vaddr);
	}
	return has_load ? 0 : -EBADMSG;
}

static bool is_ours(const Elf64_Ehdr *head)
{
	return !memcmp(head->e_ident, ELFMAG, SELFMAG) && head->e_ident[EI_CLASS] == ELFCLASS64 &&
	       head->e_ident[EI_DATA] == ELFDATA2LSB && head->e_machine == EM_X86_64 &&
	       (head->e_type == ET_EXEC || head->e_type == ET_DYN) &&
	       head->e_phentsize == sizeof(Elf64_Phdr) &&
	       (!head->e_shnum || head->e_shentsize == sizeof(Elf64_Shdr));
}

bool elf_part(const void *image, size_t len, uint32_t i, struct elf_part *out)
{
	struct image im = { .data = image, .len = len };
	Elf64_Shdr s;

	*out = (struct elf_part){ 0, sizeof(im.head) };
	if (!i)
		return true;
	if (!copy_at(&im, 0, &im.head, sizeof(im.head)) || !is_ours(&im.head))
		return false;
	if (i == 1) {
		*out = (struct elf_part){ im.head.e_phoff,
					  (uint64_t)im.head.e_phnum * sizeof(Elf64_Phdr) };
		return true;
	}
	if (i == 2) {
		*out = (struct elf_part){ im.head.e_shoff, im.head.e_shnum * sizeof(s) };
		return true;
	}
	if (!section(&im, i - 3, &s))
		return false;
	*out = (struct elf_part){ s.sh_offset, 0 };
	if (s.sh_type == SHT_DYNSYM || s.sh_type == SHT_SYMTAB || s.sh_type == SHT_STRTAB)
		out->bytes = s.sh_size;
	return true;
}

int elf_find_python(const void *image, size_t len, struct elf_python *out)
{
	struct image im = { .data = image, .len = len };
	struct elf_python found = { 0 };
	struct symbols symbols = { 0 };
	int err;

	if (!copy_at(&im, 0, &im.head, sizeof(im.head)) || !is_ours(&im.head))
		return -EBADMSG;
	take_sections(&im, &symbols);
	if (!symbols.runtime)
		return -ENOENT;
	err = take_segments(&im, symbols.version, &found);
	if (err)
		return err;
	found.runtime = symbols.runtime;
	if (!symbols.version)
		found.version = symbols.oldest;
	if (found.version && !symbols.version && symbols.texts_bytes <= TEXTS_MOST &&
	    bytes_at(&im, symbols.texts_offset, symbols.texts_bytes)) {
		found.texts_offset = symbols.texts_offset;
		found.texts_bytes = symbols.texts_bytes;
	}
	found.is_executable |= im.head.e_type == ET_EXEC;
	*out = found;
	return 0;
}
