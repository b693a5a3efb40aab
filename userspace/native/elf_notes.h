/* SPDX-License-Identifier: Apache-2.0 */
/* elf_notes - the build-id among ELF notes. */
#ifndef SPPROF_ELF_NOTES_H
#define SPPROF_ELF_NOTES_H

#include "native/elf_symbols.h"

/*
 * Of the @len bytes of notes at @notes, each of which begins at a multiple of @align (4 or
 * 8) bytes. False: there is none. Any content is legal input. @is_swapped: they are not in
 * this machine's byte order.
 */
bool elf_notes_build_id(const void *notes, size_t len, size_t align, bool is_swapped,
			struct build_id *out);

#endif
