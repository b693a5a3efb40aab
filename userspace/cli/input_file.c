/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/input_file.h"

#include "base/cleanup.h"
#include "spprof_api.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define COPY_BYTES (1 << 20)
#define LET_GO_BYTES (1 << 20) /* less is not worth a system call */

/* SIGBUS: the page is behind what has become the end of the file. */
static void on_cut(int signal)
{
	static const char text[] = "spprofctl: the file became shorter while it was read\n";
	ssize_t put = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)put;
	(void)signal;
	_exit(SPPROF_EXIT_FAILED);
}

static const char *spool_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : "/tmp";
}

static int write_all(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t put = write(fd, bytes, len);

		if (put < 0 && errno != EINTR)
			return -errno;
		bytes += put > 0 ? put : 0;
		len -= put > 0 ? put : 0;
	}
	return 0;
}

static int copy(int from, int to, struct buffer *why)
{
	OWNS_MEM char *bytes = malloc(COPY_BYTES);
	ssize_t got;
	int err;

	if (!bytes)
		return -ENOMEM;
	while ((got = read(from, bytes, COPY_BYTES))) {
		if (got < 0 && errno != EINTR)
			return -errno;
		err = got > 0 ? write_all(to, bytes, got) : 0;
		if (err) {
			buffer_print(why, "cannot keep it in a file in %s: %s", spool_folder(),
				     strerror(-err));
			return err;
		}
	}
	return 0;
}

/* A file that nobody else sees and that goes with its descriptor. Or -errno. */
static int open_nameless(const char *folder)
{
	OWNS_MEM char *name = NULL;
	int fd;

	fd = open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	if (asprintf(&name, "%s/spprof-XXXXXX", folder) < 0) { /* not every kind has such files */
		name = NULL;
		return -ENOMEM;
	}
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(name);
	return fd;
}

/* Puts a copy of what can be read from *@fd in its place. */
static int spool(int *fd, struct buffer *why)
{
	OWNS_FD int file = open_nameless(spool_folder());
	int err, read_from = *fd;

	if (file < 0) {
		buffer_print(why, "cannot keep it in a file in %s: %s", spool_folder(),
			     strerror(-file));
		return file;
	}
	err = copy(read_from, file, why);
	if (!err && lseek(file, 0, SEEK_SET))
		err = -errno;
	if (err)
		return err;
	close(read_from);
	*fd = TAKE_FD(file);
	return 0;
}

/* Its size says how much there is to read: not so in /proc, or where some was read already. */
static bool is_whole_file(int fd, size_t *len)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size || lseek(fd, 0, SEEK_CUR))
		return false;
	*len = st.st_size;
	return true;
}

static int map(struct input_file *f, int fd)
{
	void *bytes = mmap(NULL, f->len, PROT_READ, MAP_PRIVATE, fd, 0);
	struct sigaction ours = { .sa_handler = on_cut };

	if (bytes == MAP_FAILED)
		return -errno;
	madvise(bytes, f->len, MADV_SEQUENTIAL);
	f->bytes = bytes;
	sigaction(SIGBUS, &ours, &f->before);
	return 0;
}

static int open_and_map(struct input_file *f, const char *name, struct buffer *why)
{
	OWNS_FD int fd = strcmp(name, "-") ? open(name, O_RDONLY | O_CLOEXEC)
					   : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	int err;

	*f = (struct input_file){ .bytes = "" };
	if (fd < 0)
		return -errno;
	if (!is_whole_file(fd, &f->len)) {
		err = spool(&fd, why);
		if (err)
			return err;
		is_whole_file(fd, &f->len);
	}
	return f->len ? map(f, fd) : 0;
}

int input_file_open(struct input_file *f, const char *name, struct buffer *why)
{
	int err = open_and_map(f, name, why);

	if (err && !why->len)
		buffer_add_text(why, strerror(-err));
	if (err)
		*f = (struct input_file){ 0 };
	return err;
}

void input_file_passed(void *arg, const char *at)
{
	struct input_file *f = arg;
	size_t page = sysconf(_SC_PAGESIZE), end;

	if (at < f->bytes || at > f->bytes + f->len)
		return; /* in what was unpacked of it */
	end = (size_t)(at - f->bytes) / page * page;
	if (end < f->let_go)
		f->let_go = 0; /* it is read once more */
	if (end < f->let_go + LET_GO_BYTES)
		return;
	madvise((void *)(f->bytes + f->let_go), end - f->let_go, MADV_DONTNEED);
	f->let_go = end;
}

void input_file_fini(struct input_file *f)
{
	if (!f->len)
		return;
	sigaction(SIGBUS, &f->before, NULL);
	munmap((void *)f->bytes, f->len);
	*f = (struct input_file){ 0 };
}
