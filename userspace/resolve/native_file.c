/* SPDX-License-Identifier: Apache-2.0 */
/*
 * It is copied, as far as its tables go: a mapping of a file that its owner cuts short meanwhile
 * would end us with SIGBUS.
 */
#include "resolve/native_file.h"

#include "base/file_read.h"
#include "resolve/target_memory.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define ADDRESSES_MOST (16ll << 30) /* of one file: addresses, not memory */
#define TABLES_ON_TOP 65536	    /* bytes that may be named more than once */

/* The parts that its symbols are in; what is not there stays zero. */
static int read_tables(int fd, size_t most, struct native_file *f)
{
	struct elf_part part;

	for (uint32_t i = 0; elf_symbols_part(f->image, f->len, i, &part); i++) {
		ssize_t got;

		if (part.offset >= f->len)
			continue;
		if (part.bytes > f->len - part.offset)
			part.bytes = f->len - part.offset;
		if (part.bytes > most - f->taken || f->taken + part.bytes > f->len + TABLES_ON_TOP)
			return -EFBIG;
		f->taken += part.bytes;
		got = file_read_at(fd, part.offset, (char *)f->image + part.offset, part.bytes);
		if (got < 0)
			return got;
	}
	return 0;
}

static int read_opened(int fd, size_t most, struct native_file *f)
{
	struct stat st;
	void *image;
	int err;

	if (fstat(fd, &st))
		return -errno;
	if (!st.st_size || st.st_size > ADDRESSES_MOST)
		return -EBADMSG;
	image = mmap(NULL, st.st_size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (image == MAP_FAILED)
		return -errno;
	f->image = image;
	f->len = st.st_size;
	err = read_tables(fd, most, f);
	if (!err)
		f->symbols = elf_symbols_new(f->image, f->len, &err);
	if (!err && native_file_bytes(f) > most)
		err = -EFBIG;
	return err;
}

int native_file_read(pid_t pid, const struct code_mapping *m, size_t most, struct native_file *out)
{
	OWNS(native_file) struct native_file f = { .image = NULL };
	OWNS_FD int named = target_name_mapping(pid, &m->at);
	OWNS_FD int fd = named < 0 ? named : target_open_named(named);
	int err;

	*out = (struct native_file){ 0 };
	if (fd < 0)
		return fd;
	err = read_opened(fd, most, &f);
	if (err)
		return err;
	*out = f;
	f = (struct native_file){ 0 };
	return 0;
}

void native_file_fini(struct native_file *f)
{
	elf_symbols_free(f->symbols);
	if (f->image)
		munmap(f->image, f->len);
	*f = (struct native_file){ 0 };
}

size_t native_file_bytes(const struct native_file *f)
{
	return f->taken + (f->symbols ? elf_symbols_bytes(f->symbols) : 0);
}
