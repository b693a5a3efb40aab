/* SPDX-License-Identifier: Apache-2.0 */
#include "base/procfs_file.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int procfs_gone_or(int err)
{
	return err == ENOENT ? -ESRCH : -err;
}

void procfs_path(char path[PROCFS_PATH_ROOM], pid_t pid, pid_t tid, const char *file)
{
	if (tid)
		snprintf(path, PROCFS_PATH_ROOM, "/proc/%d/task/%d/%s", pid, tid, file);
	else
		snprintf(path, PROCFS_PATH_ROOM, "/proc/%d/%s", pid, file);
}

ssize_t procfs_read_small(const char *path, char *text, size_t room)
{
	OWNS_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;

	if (fd < 0)
		return procfs_gone_or(errno);
	while (used + 1 < room) {
		ssize_t got = read(fd, text + used, room - 1 - used);

		if (got < 0)
			return procfs_gone_or(errno);
		if (!got)
			break;
		used += got;
	}
	text[used] = 0;
	return used;
}
