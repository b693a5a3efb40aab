/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of /proc share: where a file lies, how it is read, when it is gone. */
#ifndef SPPROF_PROCFS_FILE_H
#define SPPROF_PROCFS_FILE_H

#include <stddef.h>
#include <sys/types.h>

#define PROCFS_PATH_ROOM 64 /* "/proc/PID/task/TID/status" */

/* -@err, and -ESRCH for what is gone, however the kernel words it. */
int procfs_gone_or(int err);

/* The path of @file of @pid, or of its thread @tid unless that is 0. */
void procfs_path(char path[PROCFS_PATH_ROOM], pid_t pid, pid_t tid, const char *file);

/*
 * The whole of a file, or its first @room - 1 bytes, with a NUL behind it. Its length or
 * -errno.
 */
ssize_t procfs_read_small(const char *path, char *text, size_t room);

#endif
