/* SPDX-License-Identifier: Apache-2.0 */
/* native_file - the symbols of a file that a process runs. */
#ifndef SPPROF_NATIVE_FILE_H
#define SPPROF_NATIVE_FILE_H

#include "base/cleanup.h"
#include "native/elf_symbols.h"
#include "resolve/code_map.h"

struct native_file {
	void *image; /* of what was read; its names are in here */
	size_t len, taken;
	struct elf_symbols *symbols; /* NULL: none are known */
};

/*
 * Reads those of the file that is mapped at @m of @pid, of which at most @most bytes are kept.
 * 0 and *@out; -EFBIG; what opening and reading it says; -EBADMSG: it is none of ELF.
 */
int native_file_read(pid_t pid, const struct code_mapping *m, size_t most, struct native_file *out);

void native_file_fini(struct native_file *f); /* zeroed memory is fine */
static inline void native_file_cleanup(struct native_file *f)
{
	native_file_fini(f);
}

/* Bytes that it has allocated. */
size_t native_file_bytes(const struct native_file *f);

#endif
