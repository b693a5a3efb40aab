/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file is known by what fstat() says of the opened one, never by what the target says
 * of its mapping: so no target can give a file another one's name here.
 */
#include "resolve/file_memory.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file_read.h"
#include "base/hash_index.h"
#include "native/elf_version.h"
#include "resolve/target_memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <xxhash.h>

#define MOST_FILES 4096
#define MOST_FILE_BYTES (512l << 20)

/*
 * Most files that are mapped are no Python, and were asked for a moment ago: to open each
 * of the 40 of a program takes longer than all the rest. So what a mapping shows of a file
 * (its path too: an overlay's inode numbers are not its own) is believed that long, but
 * only to tell that it is none.
 */
#define STRANGERS 4096
#define BELIEVED_NS 60000000000ull

struct file_key {
	uint64_t device, inode, mtime_s, mtime_ns, size;
};

struct file {
	struct file_key key;
	int result; /* of elf_find_python() */
	struct elf_python python;
};

struct stranger {
	uint64_t mapping; /* hash of what shows of it */
	uint64_t until_ns;
};

struct file_memory {
	struct stranger strangers[STRANGERS]; /* one a place: the newer one has it */
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
	m->index = (struct hash_index){ 0 };
	m->files = NULL;
	m->count = m->room = 0;
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

/* -ESTALE: cut short since we asked for its size. */
static int read_part(int fd, uint8_t *image, uint64_t from, uint64_t bytes)
{
	ssize_t got = file_read_at(fd, from, image + from, bytes);

	if (got < 0)
		return got;
	return (uint64_t)got == bytes ? 0 : -ESTALE;
}

/* Of a library of megabytes, what tells whether it is a Python is a tenth. */
static int read_tables(int fd, uint8_t *image, uint64_t size)
{
	struct elf_part part;
	uint64_t total = 0;
	int err = 0;

	for (uint32_t i = 0; !err && elf_part(image, size, i, &part); i++) {
		if (part.offset >= size)
			continue;
		if (part.bytes > size - part.offset)
			part.bytes = size - part.offset;
		total += part.bytes;
		if (total > size)
			return read_part(fd, image, 0, size); /* parts on top of each other */
		err = read_part(fd, image, part.offset, part.bytes);
	}
	return err;
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
	err = read_tables(fd, image, f->key.size);
	if (!err)
		f->result = elf_find_python(image, f->key.size, &f->python);
	if (!err && !f->result && f->python.version_offset) {
		err = read_part(fd, image, f->python.version_offset, sizeof(f->python.version));
		memcpy(&f->python.version, image + f->python.version_offset,
		       sizeof(f->python.version));
	}
	if (!err && !f->result && f->python.texts_bytes) {
		err = read_part(fd, image, f->python.texts_offset, f->python.texts_bytes);
		f->python.version = elf_version_in(image + f->python.texts_offset,
						   f->python.texts_bytes, f->python.version);
	}
	munmap(image, f->key.size);
	return err;
}

/* 0 and *@out, from memory if it can be had there; what target_name_mapping() says. */
static int find_file(struct file_memory *m, pid_t pid, const struct proc_mapping *mapping,
		     struct file *out, bool *is_as_mapped)
{
	OWNS_FD int named = target_name_mapping(pid, mapping);
	const struct file *known;
	struct stat st;
	int err;

	if (named < 0)
		return named;
	if (fstat(named, &st))
		return -errno;
	*is_as_mapped = st.st_ino == mapping->inode && major(st.st_dev) == mapping->major &&
			minor(st.st_dev) == mapping->minor;
	*out = (struct file){ .key = { .device = st.st_dev,
				       .inode = st.st_ino,
				       .mtime_s = st.st_mtim.tv_sec,
				       .mtime_ns = st.st_mtim.tv_nsec,
				       .size = st.st_size } };
	known = find(m, &out->key);
	if (known) {
		*out = *known;
		return 0;
	}
	err = parse(named, out);
	if (!err)
		remember(m, out);
	return err;
}

static uint64_t hash_mapping(const struct proc_mapping *mapping)
{
	const uint64_t shown[] = { mapping->inode, mapping->major, mapping->minor,
				   mapping->offset };

	return XXH3_64bits_withSeed(mapping->path, strlen(mapping->path),
				    XXH3_64bits(shown, sizeof(shown)));
}

int file_memory_find(struct file_memory *m, pid_t pid, const struct proc_mapping *mapping,
		     struct elf_python *out, bool *is_as_mapped)
{
	uint64_t hash = hash_mapping(mapping), now = monotonic_ns();
	struct stranger *stranger = &m->strangers[hash % STRANGERS];
	struct file f;
	int err;

	if (stranger->mapping == hash && now < stranger->until_ns)
		return -ENOENT;
	err = find_file(m, pid, mapping, &f, is_as_mapped);
	if (err)
		return err;
	if (f.result)
		*stranger = (struct stranger){ hash, now + BELIEVED_NS };
	else
		*out = f.python;
	return f.result;
}
