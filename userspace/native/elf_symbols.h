/* SPDX-License-Identifier: Apache-2.0 */
/* elf_symbols - the functions of an ELF file by their addresses, and its build-id. */
#ifndef SPPROF_ELF_SYMBOLS_H
#define SPPROF_ELF_SYMBOLS_H

#include "base/cleanup.h"
#include "native/elf_image.h"
#include "native/symbol_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_MAX 20 /* bytes: SHA-1 */

struct build_id {
	uint8_t bytes[BUILD_ID_MAX];
	uint8_t len; /* 0: none */
};

struct elf_symbols;

/*
 * What perf takes for symbols of .symtab, .dynsym and the stubs of .plt, of the @len bytes
 * of an ELF file of either class and byte order. Names point into @image, which must last.
 * Any content is legal input. NULL and *@err: -EBADMSG: no ELF file that can be read;
 * -ENOMEM. A file without symbols is fine.
 */
struct elf_symbols *elf_symbols_new(const void *image, size_t len, int *err);
void elf_symbols_free(struct elf_symbols *s); /* NULL is fine */
DEFINE_OWNS(elf_symbols);

/*
 * As elf_part(): of the parts that suffice for elf_symbols_new() and elf_build_id(). Each
 * is named in the file's own bytes, so they may lie on top of each other.
 */
bool elf_symbols_part(const void *image, size_t len, uint32_t i, struct elf_part *out);

/* Of NT_GNU_BUILD_ID. False: the file has none. */
bool elf_build_id(const void *image, size_t len, struct build_id *out);

/* Whether the two are the same; perf fills the short ones up with zeros. */
bool build_id_is(const struct build_id *a, const struct build_id *b);

/* The virtual address of the byte at @offset of the file, or UINT64_MAX. */
uint64_t elf_symbols_address(const struct elf_symbols *s, uint64_t offset);

/* The number of the symbol around virtual address @address, or NO_SYMBOL. */
uint32_t elf_symbols_find(const struct elf_symbols *s, uint64_t address);

uint32_t elf_symbols_count(const struct elf_symbols *s);

/* As the file has it. */
const char *elf_symbols_name(const struct elf_symbols *s, uint32_t symbol);

/* Whether it is the stub that calls a function of that name: perf prints "NAME@plt". */
bool elf_symbols_is_stub(const struct elf_symbols *s, uint32_t symbol);

/* Whether there is no .symtab: then a file of debugging symbols knows more. */
bool elf_symbols_is_stripped(const struct elf_symbols *s);

/* Bytes that it has allocated. */
size_t elf_symbols_bytes(const struct elf_symbols *s);

#endif
