/* SPDX-License-Identifier: Apache-2.0 */
/* mapped_elf - what the head of an ELF file says that is mapped in a process. */
#ifndef SPPROF_MAPPED_ELF_H
#define SPPROF_MAPPED_ELF_H

#include "resolve/target_memory.h"

#include <elf.h>
#include <stdint.h>

#define MAPPED_ELF_SEGMENTS 64

struct mapped_elf {
	uint64_t bias; /* what its virtual addresses are moved by */
	Elf64_Phdr segments[MAPPED_ELF_SEGMENTS];
	unsigned int count;
};

/*
 * Reads that of the file whose first byte is at @base. 0; -EBADMSG: it is none; -ENOENT: nothing of
 * it is to be loaded; what else the reader says. Any content is legal.
 */
int mapped_elf_read(const struct target_reader *memory, uint64_t base, struct mapped_elf *out);

/* Its first segment of @type, or NULL. */
const Elf64_Phdr *mapped_elf_segment(const struct mapped_elf *e, uint32_t type);

#endif
