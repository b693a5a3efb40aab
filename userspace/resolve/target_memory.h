/* SPDX-License-Identifier: Apache-2.0 */
/* Another process's memory and files, read without stopping it. */
#ifndef SPPROF_TARGET_MEMORY_H
#define SPPROF_TARGET_MEMORY_H

#include "base/procfs.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* All @len bytes at @addr of @pid. 0, -ESRCH, -EPERM, or -EFAULT if any is not mapped. */
int target_read(pid_t pid, uint64_t addr, void *dst, size_t len);

/* Memory to read from, so that what reads it can be tried over an image too. */
struct target_reader {
	/* As target_read(). */
	int (*read)(void *ctx, uint64_t addr, void *dst, size_t len);
	void *ctx;
};

/* The memory of *@pid, which must live as long as the reader. */
struct target_reader target_reader_of(pid_t *pid);

/*
 * Names the file mapped at @m of @pid, whatever namespace it is in and even if it was
 * deleted, as an O_PATH descriptor. -errno; -EINVAL: not a regular file, -ESTALE: the
 * file under that name is another one by now.
 */
int target_name_mapping(pid_t pid, const struct proc_mapping *m);

/* Opens a file so named for reading. A descriptor or -errno. */
int target_open_named(int named_fd);

#endif
