/* SPDX-License-Identifier: Apache-2.0 */
/* What mapped files were found to be: each is parsed once. */
#ifndef SPPROF_FILE_MEMORY_H
#define SPPROF_FILE_MEMORY_H

#include "base/procfs.h"
#include "native/elf_image.h"
#include "resolve/interpreter.h"

/*
 * What elf_find_python() says of the file mapped at @m of @pid, from memory if it can be
 * had there: 0 and *@out, -ENOENT if it is not a Python, -EBADMSG if it is no ELF file.
 * *@is_as_mapped: the file has the very device and inode that the mapping shows.
 * Also what target_name_mapping() says, if it cannot be opened.
 */
int file_memory_find(struct file_memory *m, pid_t pid, const struct proc_mapping *mapping,
		     struct elf_python *out, bool *is_as_mapped);

#endif
