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

struct target_piece {
	uint64_t address;
	void *dst;
	size_t len;
	int err; /* 0 or -EFAULT */
};

/* Memory to read from, so that what reads it can be tried over an image too. */
struct target_reader {
	/* As target_read(). */
	int (*read)(void *ctx, uint64_t addr, void *dst, size_t len);
	/* As target_read_pieces(). NULL: there is no faster way than one after the other. */
	int (*read_pieces)(void *ctx, struct target_piece *pieces, size_t count);
	void *ctx;
};

/* The memory of *@pid, which must live as long as the reader. */
struct target_reader target_reader_of(pid_t *pid);

/* Many small ones; each has an @err of its own. 0, -ESRCH or -EPERM. */
int target_read_pieces(const struct target_reader *r, struct target_piece *pieces, size_t count);

/*
 * Names the file mapped at @m of @pid, whatever namespace it is in and even if it was
 * deleted, as an O_PATH descriptor. -errno; -EINVAL: not a regular file, -ESTALE: the
 * file under that name is another one by now.
 */
int target_name_mapping(pid_t pid, const struct proc_mapping *m);

/* Opens a file so named for reading. A descriptor or -errno. */
int target_open_named(int named_fd);

#endif
