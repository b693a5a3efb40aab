/* SPDX-License-Identifier: Apache-2.0 */
/* Source: fs/proc/task_mmu.c; an open maps file keeps the mm_struct, and reads empty once that ends. */
#include "base/proc_image.h"

#include "base/cleanup.h"
#include "base/procfs_file.h"

#include <errno.h>
#include <fcntl.h>

int proc_image_open(pid_t pid)
{
	char path[PROCFS_PATH_ROOM];
	OWNS_FD int fd = -1;

	procfs_path(path, pid, 0, "maps");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return procfs_gone_or(errno);
	return proc_image_lives(fd) ? TAKE_FD(fd) : -ESRCH;
}

bool proc_image_lives(int image_fd)
{
	char byte;

	return pread(image_fd, &byte, 1, 0) == 1;
}
