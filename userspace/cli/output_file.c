/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

/* What open() would have given a new file; mkostemp() gives 0600. */
static mode_t usual_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* A new file in the folder of @place, with @mode. */
static int open_beside(struct output_file *f, const char *place, mode_t mode)
{
	const char *slash = strrchr(place, '/');
	int folder = slash ? slash - place + 1 : 0;
	OWNS_MEM char *name = NULL;
	OWNS_FD int fd = -1;

	if (asprintf(&name, "%.*s.spprof-XXXXXX", folder, place) < 0) {
		name = NULL;
		return -ENOMEM;
	}
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fchmod(fd, mode)) {
		int err = -errno;

		unlink(name);
		return err;
	}
	f->fd = TAKE_FD(fd);
	f->unplaced = TAKE(name);
	return 0;
}

/* @path is there: a file that may be replaced, or something to write to as it is. */
static int open_existing(struct output_file *f, const char *path, const struct stat *st)
{
	OWNS_FD int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	int err;

	if (fd < 0)
		return -errno;
	if (S_ISREG(st->st_mode)) {
		f->place = realpath(path, NULL); /* what a link names, not the link */
		err = f->place ? open_beside(f, f->place, st->st_mode & 0777) : -errno;
		if (!err || (err != -EACCES && err != -EPERM))
			return err;
		free(TAKE(f->place)); /* the folder is not ours, the file is */
		f->is_emptied = true;
	}
	f->fd = TAKE_FD(fd);
	return 0;
}

static int open_path(struct output_file *f, const char *path)
{
	struct stat st;

	if (!strcmp(path, "-")) {
		f->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		return f->fd < 0 ? -errno : 0;
	}
	if (!stat(path, &st))
		return open_existing(f, path, &st);
	if (errno != ENOENT)
		return -errno;
	if (path[strlen(path) - 1] == '/')
		return -EISDIR;
	f->place = strdup(path);
	return f->place ? open_beside(f, path, usual_mode()) : -ENOMEM;
}

int output_file_open(struct output_file *f, const char *path)
{
	OWNS(output_file) struct output_file made = { .fd = -1 };
	int err = path ? open_path(&made, path) : open_beside(&made, "", usual_mode());

	if (err)
		return err;
	*f = made;
	made = (struct output_file){ .fd = -1 };
	return 0;
}

static int write_all(int fd, const struct buffer *data)
{
	for (size_t at = 0; at < data->len;) {
		ssize_t put = write(fd, data->data + at, data->len - at);

		if (put < 0 && errno != EINTR)
			return -errno;
		at += put > 0 ? put : 0;
	}
	return 0;
}

int output_file_commit(struct output_file *f, const char *name, const struct buffer *data)
{
	int err = f->is_emptied && ftruncate(f->fd, 0) ? -errno : 0;

	if (!err)
		err = write_all(f->fd, data);
	if (!err && f->unplaced) {
		if (rename(f->unplaced, f->place ? f->place : name))
			return -errno;
		free(TAKE(f->unplaced));
	}
	if (!err && close(TAKE_FD(f->fd)))
		err = -errno;
	return err;
}

void output_file_fini(struct output_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->unplaced)
		unlink(f->unplaced);
	free(f->unplaced);
	free(f->place);
	*f = (struct output_file){ .fd = -1 };
}
