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

#endif
