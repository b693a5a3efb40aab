/* SPDX-License-Identifier: Apache-2.0 */
/* elf_bytes - bounds-checked copies out of an ELF file of either class and byte order. */
#ifndef SPPROF_ELF_BYTES_H
#define SPPROF_ELF_BYTES_H

#include "native/elf_symbols.h"

#include <elf.h>

struct elf_bytes {
	const uint8_t *data;
	size_t len;
	bool is_64, is_swapped; /* not in this machine's byte order */
	Elf64_Ehdr head;
	uint32_t sections, segments; /* that the file has whole, whatever the header says */
	uint32_t names;		     /* section of the sections' names */
};

/* 0, or -EBADMSG if this is no ELF file. Any content is legal input. */
int elf_bytes_init(struct elf_bytes *e, const void *image, size_t len);

/* @len bytes at @offset, or NULL if the file does not have them. */
const void *elf_bytes_at(const struct elf_bytes *e, uint64_t offset, uint64_t len);

/* The @i-th, its fields as in a file of 64 bits and of this byte order. False: not there. */
bool elf_bytes_section(const struct elf_bytes *e, uint32_t i, Elf64_Shdr *out);
bool elf_bytes_segment(const struct elf_bytes *e, uint32_t i, Elf64_Phdr *out);
bool elf_bytes_symbol(const struct elf_bytes *e, const Elf64_Shdr *table, uint64_t i,
		      Elf64_Sym *out);

/* Bytes of a header or an entry as the file has it. */
size_t elf_bytes_section_size(const struct elf_bytes *e);
size_t elf_bytes_segment_size(const struct elf_bytes *e);

/* A number of 4 bytes at @at in the file's byte order. */
uint32_t elf_bytes_word(const struct elf_bytes *e, const void *at);

/* Strings that all end: the table without what comes behind its last NUL. */
struct elf_strings {
	const char *at;
	uint64_t len;
};

struct elf_strings elf_bytes_strings(const struct elf_bytes *e, uint32_t section);

/* The string at @offset, or NULL if it is outside of them. */
static inline const char *elf_strings_get(const struct elf_strings *s, uint64_t offset)
{
	return offset < s->len ? s->at + offset : NULL;
}

#endif
