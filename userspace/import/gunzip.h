/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPPROF_GUNZIP_H
#define SPPROF_GUNZIP_H

#include "base/buffer.h"

#include <stdbool.h>

bool gunzip_is_gzip(const void *data, size_t len);

/*
 * Appends what the gzip file at @data, of one or more members, holds. Any content is
 * legal input. 0; -EBADMSG if it is damaged or cut; -E2BIG if it holds more than @limit
 * bytes; -ENOMEM.
 */
int gunzip(const void *data, size_t len, size_t limit, struct buffer *out);

#endif
