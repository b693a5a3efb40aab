/* SPDX-License-Identifier: Apache-2.0 */
/* Small ELF files of either class and byte order, for the tests of those who read such. */
#ifndef TESTS_UNIT_ELF_FILES_H
#define TESTS_UNIT_ELF_FILES_H

#include "base/buffer.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

/* Code is loaded here from this offset. */
#define CODE_ADDRESS 0x401000
#define CODE_OFFSET 0x1000
#define CODE_BYTES 0x1000
#define PLT_ADDRESS 0x401800
#define PLT_ENTRY 16

enum {
	IN_NONE,
	IN_TEXT,
	IN_DATA,
	IN_NOTE,
	IN_SYMTAB,
	IN_STRTAB,
	IN_DYNSYM,
	IN_DYNSTR,
	IN_NAMES,
	IN_PLT,
	IN_RELA,
	IN_OTHER,
	SECTIONS
};

struct elf_row {
	const char *name; /* NULL: the last row */
	uint64_t value, size;
	uint8_t binding, type, visibility;
	uint16_t section;
};

/* A function of .text. */
#define FUNCTION(name, value, size)                                           \
	{                                                                     \
		name, value, size, STB_GLOBAL, STT_FUNC, STV_DEFAULT, IN_TEXT \
	}

struct elf_recipe {
	bool is_32, is_big_endian;
	uint16_t machine; /* 0: x86-64 */
	const struct elf_row *symtab, *dynsym;
	const char *build_id; /* its bytes as text; NULL: none */
	uint32_t stubs;	      /* for the first so many of @dynsym */
};

/* Appends the file to @out, which is empty. */
void elf_make(struct buffer *out, const struct elf_recipe *recipe);

/* Where in the file the header of @section is. */
size_t elf_section_offset(const struct elf_recipe *recipe, uint32_t section);

#endif
