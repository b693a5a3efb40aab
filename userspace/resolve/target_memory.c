/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The path of a mapping is the target's to choose: a file is looked at as O_PATH, which
 * opens nothing, before it is opened.
 */
#include "resolve/target_memory.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#define PIECES_AT_ONCE 128 /* fewer than IOV_MAX */

int target_read(pid_t pid, uint64_t addr, void *dst, size_t len)
{
	struct iovec local = { .iov_base = dst, .iov_len = len };
	struct iovec remote = { .iov_base = (void *)(uintptr_t)addr, .iov_len = len };
	ssize_t got = process_vm_readv(pid, &local, 1, &remote, 1, 0);

	if (got == (ssize_t)len)
		return 0;
	if (got < 0 && (errno == ESRCH || errno == EPERM))
		return -errno;
	return -EFAULT;
}

static int read_pid(void *ctx, uint64_t addr, void *dst, size_t len)
{
	return target_read(*(pid_t *)ctx, addr, dst, len);
}

/* Reads from @pieces on until one fails. How many were read, or -errno. */
static ssize_t read_some(pid_t pid, struct target_piece *pieces, size_t count)
{
	struct iovec local[PIECES_AT_ONCE] = { { 0 } }, remote[PIECES_AT_ONCE] = { { 0 } };
	size_t done = 0;
	ssize_t got;

	for (size_t i = 0; i < count; i++) {
		local[i] = (struct iovec){ pieces[i].dst, pieces[i].len };
		remote[i] = (struct iovec){ (void *)(uintptr_t)pieces[i].address, pieces[i].len };
	}
	got = process_vm_readv(pid, local, count, remote, count, 0);
	if (got < 0 && (errno == ESRCH || errno == EPERM))
		return -errno;
	for (; done < count && got >= (ssize_t)pieces[done].len; done++)
		got -= pieces[done].len;
	return done;
}

static int read_pid_pieces(void *ctx, struct target_piece *pieces, size_t count)
{
	size_t i = 0;

	while (i < count) {
		size_t part = count - i < PIECES_AT_ONCE ? count - i : PIECES_AT_ONCE;
		ssize_t done = read_some(*(pid_t *)ctx, pieces + i, part);

		if (done < 0)
			return done;
		for (ssize_t j = 0; j < done; j++)
			pieces[i + j].err = 0;
		i += done;
		if ((size_t)done < part)
			pieces[i++].err = -EFAULT;
	}
	return 0;
}

struct target_reader target_reader_of(pid_t *pid)
{
	return (struct target_reader){ .read = read_pid,
				       .read_pieces = read_pid_pieces,
				       .ctx = pid };
}

int target_read_pieces(const struct target_reader *r, struct target_piece *pieces, size_t count)
{
	if (r->read_pieces)
		return r->read_pieces(r->ctx, pieces, count);
	for (size_t i = 0; i < count; i++) {
		int err = r->read(r->ctx, pieces[i].address, pieces[i].dst, pieces[i].len);

		if (err && err != -EFAULT)
			return err;
		pieces[i].err = err;
	}
	return 0;
}

/* @named_fd, if it is a regular file; closed otherwise. */
static int only_regular(int named_fd, const struct proc_mapping *same_as)
{
	OWNS_FD int fd = named_fd;
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (same_as && (major(st.st_dev) != same_as->major || minor(st.st_dev) != same_as->minor ||
			st.st_ino != same_as->inode))
		return -ESTALE;
	return TAKE_FD(fd);
}

/* By its path, inside the target's root: for those who have not CAP_CHECKPOINT_RESTORE. */
static int name_by_path(pid_t pid, const struct proc_mapping *m)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	OWNS_FD int root = -1;
	char path[64];
	long fd;

	if (m->path[0] != '/')
		return -ENOENT;
	snprintf(path, sizeof(path), "/proc/%d/root", pid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -errno;
	fd = syscall(SYS_openat2, root, m->path, &how, sizeof(how));
	if (fd < 0)
		return -errno;
	return only_regular(fd, m);
}

int target_name_mapping(pid_t pid, const struct proc_mapping *m)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, m->start,
		 m->end);
	fd = open(path, O_PATH | O_CLOEXEC);
	return fd < 0 ? name_by_path(pid, m) : only_regular(fd, NULL);
}

int target_open_named(int named_fd)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", named_fd);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}
