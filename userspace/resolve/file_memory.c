/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file is known by what fstat() says of the opened one, never by what the target says
 * of its mapping: so no target can give a file another one's name here.
 */
#include "resolve/file_memory.h"

#include "base/cleanup.h"
#include "base/hash_index.h"
#include "resolve/target_memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <xxhash.h>

#define MOST_FILES 4096
#define MOST_FILE_BYTES (512l << 20)

struct file_key {
	uint64_t device, inode, mtime_s, mtime_ns, size;
};

struct file {
	struct file_key key;
	int result; /* of elf_find_python() */
	struct elf_python python;
};

struct file_memory {
	struct hash_index index;
	struct file *files;
	uint32_t count, room;
};

struct file_memory *file_memory_new(void)
{
	return calloc(1, sizeof(struct file_memory));
}

static void forget_all(struct file_memory *m)
{
	hash_index_fini(&m->index);
	free(m->files);
	*m = (struct file_memory){ .files = NULL };
}

void file_memory_free(struct file_memory *m)
{
	if (!m)
		return;
	forget_all(m);
	free(m);
}

static const struct file *find(const struct file_memory *m, const struct file_key *key)
{
	struct hash_probe p = hash_index_find(&m->index, XXH3_64bits(key, sizeof(*key)));
	uint32_t i;

	while (hash_probe_next(&p, &i))
		if (!memcmp(&m->files[i].key, key, sizeof(*key)))
			return &m->files[i];
	return NULL;
}

/* Not remembered when out of memory: it is then parsed again. */
static void remember(struct file_memory *m, const struct file *f)
{
	if (m->count == MOST_FILES)
		forget_all(m);
	if (m->count == m->room) {
		uint32_t room = m->room ? m->room * 2 : 64;
		struct file *files = realloc(m->files, room * sizeof(*files));

		if (!files)
			return;
		m->files = files;
		m->room = room;
	}
	if (hash_index_add(&m->index, XXH3_64bits(&f->key, sizeof(f->key)), m->count))
		return;
	m->files[m->count++] = *f;
}

static int read_whole(int fd, uint8_t *image, size_t size)
{
	size_t used = 0;

	while (used < size) {
		ssize_t got = pread(fd, image + used, size - used, used);

		if (got < 0)
			return -errno;
		if (!got)
			return -ESTALE; /* cut short since we asked for its size */
		used += got;
	}
	return 0;
}

/*
 * 0 and f->result, or -errno if the file cannot be looked into at all. It is copied: a
 * mapping of a file that its owner cuts short meanwhile would end us with SIGBUS.
 */
static int parse(int named_fd, struct file *f)
{
	OWNS_FD int fd = -1;
	void *image;
	int err;

	f->result = -ENOENT;
	if (!f->key.size || f->key.size > MOST_FILE_BYTES)
		return 0;
	fd = target_open_named(named_fd);
	if (fd < 0)
		return fd;
	image = mmap(NULL, f->key.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (image == MAP_FAILED)
		return -errno;
	madvise(image, f->key.size, MADV_HUGEPAGE); /* a third of the time, where it works */
	err = read_whole(fd, image, f->key.size);
	if (!err)
		f->result = elf_find_python(image, f->key.size, &f->python);
	munmap(image, f->key.size);
	return err;
}

int file_memory_find(struct file_memory *m, pid_t pid, const struct proc_mapping *mapping,
		     struct elf_python *out, bool *is_as_mapped)
{
	OWNS_FD int named = target_name_mapping(pid, mapping);
	const struct file *known;
	struct file f = { .result = 0 };
	struct stat st;
	int err;

	if (named < 0)
		return named;
	if (fstat(named, &st))
		return -errno;
	*is_as_mapped = st.st_ino == mapping->inode && major(st.st_dev) == mapping->major &&
			minor(st.st_dev) == mapping->minor;
	f.key.device = st.st_dev;
	f.key.inode = st.st_ino;
	f.key.mtime_s = st.st_mtim.tv_sec;
	f.key.mtime_ns = st.st_mtim.tv_nsec;
	f.key.size = st.st_size;
	known = find(m, &f.key);
	if (!known) {
		err = parse(named, &f);
		if (err)
			return err;
		remember(m, &f);
		known = &f;
	}
	if (!known->result)
		*out = known->python;
	return known->result;
}
