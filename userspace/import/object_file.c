/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The path is what a recording says, and so anybody's choice: the file is looked at as
 * O_PATH, which opens nothing, before it is opened. It is copied: a mapping of a file that
 * is cut short meanwhile would end us with SIGBUS.
 */
#include "import/object_file.h"

#include "base/file_read.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define FILE_MOST (16ll << 30) /* bytes; it takes that many addresses, not memory */
#define SLACK 65536	       /* headers are named twice */

static int open_below(int root, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	int fd = syscall(SYS_openat2, root, path, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}

static int open_regular(int root, const char *path, struct stat *st)
{
	OWNS_FD int named = open_below(root, path);
	char again[64];
	int fd;

	if (named < 0)
		return named;
	if (fstat(named, st))
		return -errno;
	if (!S_ISREG(st->st_mode) || !st->st_size || st->st_size > FILE_MOST)
		return -EBADMSG;
	snprintf(again, sizeof(again), "/proc/self/fd/%d", named);
	fd = open(again, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

/* Cut short since we asked for its size: zeros are there already. */
static int read_part(int fd, uint8_t *image, uint64_t from, uint64_t bytes)
{
	ssize_t got = file_read_at(fd, from, image + from, bytes);

	return got < 0 ? got : 0;
}

static int read_tables(int fd, struct object_file *f, size_t most)
{
	struct elf_part part;
	int err = 0;

	for (uint32_t i = 0; !err && elf_symbols_part(f->image, f->len, i, &part); i++) {
		if (part.offset >= f->len)
			continue;
		if (part.bytes > f->len - part.offset)
			part.bytes = f->len - part.offset;
		f->taken += part.bytes;
		if (f->taken > f->len + SLACK)
			return -EBADMSG; /* tables on top of each other */
		if (f->taken > most)
			return -EFBIG;
		err = read_part(fd, f->image, part.offset, part.bytes);
	}
	return err;
}

static int read_image(int fd, size_t len, size_t most, struct object_file *f)
{
	void *image = mmap(NULL, len, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (image == MAP_FAILED)
		return -errno;
	f->image = image;
	f->len = len;
	return read_tables(fd, f, most);
}

int object_file_read(int root, const char *path, const struct build_id *build_id, size_t most,
		     struct object_file *out)
{
	OWNS_FD int fd = -1;
	struct elf_part headers;
	struct stat st;
	int err;

	*out = (struct object_file){ 0 };
	fd = open_regular(root, path, &st);
	if (fd < 0)
		return fd;
	err = read_image(fd, st.st_size, most, out);
	if (err)
		return err;
	if (!elf_symbols_part(out->image, out->len, 1, &headers))
		return -EBADMSG;
	(void)elf_build_id(out->image, out->len, &out->build_id);
	if (build_id->len && !build_id_is(&out->build_id, build_id))
		return -ESTALE;
	out->symbols = elf_symbols_new(out->image, out->len, &err);
	if (!err && object_file_bytes(out) > most)
		return -EFBIG;
	return err;
}

void object_file_fini(struct object_file *f)
{
	elf_symbols_free(f->symbols);
	if (f->image)
		munmap(f->image, f->len);
	*f = (struct object_file){ 0 };
}

size_t object_file_bytes(const struct object_file *f)
{
	return f->taken + (f->symbols ? elf_symbols_bytes(f->symbols) : 0);
}

ssize_t object_file_read_all(const char *path, size_t most, char **text)
{
	OWNS_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	OWNS_MEM char *bytes = NULL;
	size_t len = 0, room = 0;
	ssize_t got;

	if (fd < 0)
		return -errno;
	do {
		if (len == room) {
			room = room ? room * 2 : 65536;
			char *grown = room <= most ? realloc(bytes, room) : NULL;

			if (!grown)
				return -ENOMEM;
			bytes = grown;
		}
		got = read(fd, bytes + len, room - len);
		len += got > 0 ? got : 0;
	} while (got > 0);
	if (got < 0)
		return -errno;
	*text = TAKE(bytes);
	return len;
}
