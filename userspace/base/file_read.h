/* SPDX-License-Identifier: Apache-2.0 */
/* file_read - a piece of a file, whole. */
#ifndef SPPROF_FILE_READ_H
#define SPPROF_FILE_READ_H

#include <stdint.h>
#include <sys/types.h>

/*
 * Reads @len bytes of the file at @offset into @out. How many came, fewer only where the file
 * ends; or -errno.
 */
ssize_t file_read_at(int fd, uint64_t offset, void *out, size_t len);

#endif
