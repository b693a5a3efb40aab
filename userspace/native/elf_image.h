/* SPDX-License-Identifier: Apache-2.0 */
/* What we want to know of an ELF file: whether it is a Python, and where it keeps it. */
#ifndef SPPROF_ELF_IMAGE_H
#define SPPROF_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_python {
	uint64_t runtime; /* virtual address of _PyRuntime, as the file has it */
	/*
	 * Py_Version; of 3.8 to 3.10, which have no such symbol, only the first two numbers
	 * (0x030a0000), told by the functions they have; 0 if the file does not say.
	 */
	uint32_t version;
	uint64_t version_offset; /* of Py_Version in the file; 0: it has none */
	/* Where the file has its constants, of 3.8 to 3.10: see elf_version_in(). Else none. */
	uint64_t texts_offset, texts_bytes;
	uint64_t first_load; /* page of the first PT_LOAD's virtual address */
	bool is_executable;  /* has an interpreter or is ET_EXEC: not a shared library */
};

/*
 * Looks for the symbol _PyRuntime or the section .PyRuntime in the x86-64 ELF file of
 * @len bytes at @image. Any content is legal input.
 * Returns 0 and *@out; -ENOENT if it is not a Python; -EBADMSG if it is not an ELF file
 * that we can read.
 */
int elf_find_python(const void *image, size_t len, struct elf_python *out);

/* A part of the file; it may reach beyond its end. */
struct elf_part {
	uint64_t offset, bytes;
};

/*
 * The @i-th of the parts that suffice: with zeros for the rest, elf_find_python() says the
 * same of the file, but for the version. Which they are is read in the parts before.
 * True and *@out, false behind the last one. Any content is legal input.
 */
bool elf_part(const void *image, size_t len, uint32_t i, struct elf_part *out);

#endif
