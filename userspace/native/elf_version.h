/* SPDX-License-Identifier: Apache-2.0 */
/* The full version of a Python that has no Py_Version: up to 3.10. */
#ifndef SPPROF_ELF_VERSION_H
#define SPPROF_ELF_VERSION_H

#include <stddef.h>
#include <stdint.h>

/*
 * @version is 0x030a0000 for 3.10. Looks through the file's constants, @len bytes at @texts,
 * for the text of a version that begins so. Any content is legal input.
 * Returns Py_Version; @version itself if there is no such text, or several that differ.
 */
uint32_t elf_version_in(const void *texts, size_t len, uint32_t version);

#endif
