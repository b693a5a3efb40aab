/* SPDX-License-Identifier: Apache-2.0 */
/* object_file - the tables of an ELF file on this machine, in memory of our own. */
#ifndef SPPROF_IMPORT_OBJECT_FILE_H
#define SPPROF_IMPORT_OBJECT_FILE_H

#include "native/elf_symbols.h"

struct object_file {
	void *image; /* as long as the file; what was not read is zeros */
	size_t len;
	size_t taken; /* bytes of it that were read */
	struct build_id build_id;
	struct elf_symbols *symbols;
};

/*
 * The file at @path below the folder @root, which no symlink and no ".." leads out of.
 * 0; -ENOENT: it is not there; -ESTALE: its build-id is not @build_id (unless that has
 * none), *@out has then its own only; -EFBIG: it takes more than @most bytes; -EBADMSG: no
 * ELF file; other -errno. To be freed with object_file_fini() whatever was returned.
 */
int object_file_read(int root, const char *path, const struct build_id *build_id, size_t most,
		     struct object_file *out);
void object_file_fini(struct object_file *f);

/* All bytes that are held. */
size_t object_file_bytes(const struct object_file *f);

/* The whole of a file of the kernel's, which has no size: its length or -errno. */
ssize_t object_file_read_all(const char *path, size_t most, char **text);

#endif
