/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file_read.h"

#include <errno.h>
#include <unistd.h>

ssize_t file_read_at(int fd, uint64_t offset, void *out, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t got = pread(fd, (char *)out + done, len - done, offset + done);

		if (got < 0)
			return -errno;
		if (!got)
			break;
		done += got;
	}
	return done;
}
